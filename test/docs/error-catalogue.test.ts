import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { capitalsInSources, codesIn, codesInComments, codesInSources, otherNames } from "./error-codes.ts";

const root = new URL("../../", import.meta.url).pathname;
const page = readFileSync(join(root, "docs/errors.md"), "utf8");
const rows = [...page.matchAll(/^\| `([A-Z0-9_]+)` \|(.*)\|(.*)\|$/gm)].map(
  ([, code = "", when = "", remedy = ""]) => ({ code, when: when.trim(), remedy: remedy.trim() }),
);
const listed = rows.map(({ code }) => code);

describe("the error catalogue (docs/errors.md)", () => {
  const used = codesInSources(root);

  it("lists every code that the sources use", () => {
    expect(used.size).toBeGreaterThan(80);
    const missing = [...used].filter(([code]) => !listed.includes(code));
    expect(missing.map(([code, file]) => `${code} (${file})`)).toEqual([]);
  });

  it("lists no code that the sources do not use", () => {
    expect(listed.filter((code) => !used.has(code))).toEqual([]);
  });

  it("lists each code once, with a sentence about when and one about what to do", () => {
    expect(listed.filter((code, index) => listed.indexOf(code) !== index)).toEqual([]);
    expect(rows.filter(({ when, remedy }) => !when.endsWith(".") || !remedy.endsWith("."))).toEqual([]);
  });

  it("lists every code that a docstring promises", () => {
    const promised = [...codesInComments(root)].filter(([code]) => !otherNames.includes(code));
    expect(promised.length).toBeGreaterThan(20);
    expect(promised.filter(([code]) => !listed.includes(code))).toEqual([]);
  });

  it("takes no name for one that is no code without the name being in use", () => {
    const capitals = capitalsInSources(root);
    expect(otherNames.filter((name) => !capitals.has(name))).toEqual([]);
  });
});

describe("the search for error codes", () => {
  it.each([
    ["an error", `throw new OperatorError("DISK_FULL", "…");`, ["DISK_FULL", "DISK_FULL"]],
    ["a code of one word", `throw new TerminalError("BROKEN", "…");`, ["BROKEN"]],
    ["a subclass", `class A extends OperatorError { constructor() { super("BROKEN", "…"); } }`, ["BROKEN"]],
    ["a problem", `const p = { code: "BROKEN", severity: "error" };`, ["BROKEN"]],
    ["a table", `const t = { NotFound: "API_LOST" };`, ["API_LOST"]],
    ["a choice", `fail(late ? "TOO_LATE" : "TOO_EARLY", "…");`, ["TOO_LATE", "TOO_EARLY"]],
  ])("finds the code of %s", (_, text, codes) => {
    expect(codesIn("example.ts", text)).toEqual(codes);
  });

  it.each([
    ["a comment", `/** Errors: \`DISK_FULL\`, "DISK_FULL". */ export const a = 1;`],
    ["a code of Node", `if (code === "ERR_MODULE_NOT_FOUND") throw error;`],
    ["the state of a process", `if (signal === "SIGTERM") stop({ status: "READY" });`],
  ])("finds none in %s", (_, text) => {
    expect(codesIn("example.ts", text)).toEqual([]);
  });
});
