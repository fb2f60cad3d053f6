// What an editor offers while a machine is written: asked of the server that editors ask.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { knownTags } from "../../machines/lifecycle-tags.ts";

const root = join(import.meta.dirname, "../..");
const server = join(import.meta.dirname, "typescript-5.9/node_modules/typescript/bin/tsserver");

/** A user's file; each `|` is a place at which the cursor stands. */
const written = `
import { setupLifecycle } from "xstate-operator";
export const machine = setupLifecycle().createMachine({
  id: "m",
  initial: "A",
  states: {
    A: { tags: "|", on: { "observed.B": "B" } },
    B: { tags: ["|"], on: { "observed.C": "C" } },
    C: { tags: ["mine", "|"] },
  },
});
`;

/** What is offered at each place. */
function offered(): readonly (readonly string[])[] {
  mkdirSync(join(root, ".tmp"), { recursive: true });
  const folder = mkdtempSync(join(root, ".tmp", "completions-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "written.ts");
  writeFileSync(file, written.replaceAll("|", ""));
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: join(root, "tsconfig.json"), include: [file] }),
  );
  const lines = written.split("\n");
  const places = lines.flatMap((line, index) =>
    line.includes("|") ? [{ line: index + 1, offset: line.indexOf("|") + 1 }] : [],
  );
  const requests = [
    {
      command: "open",
      arguments: { file, fileContent: written.replaceAll("|", ""), projectRootPath: folder },
    },
    ...places.map((place) => ({ command: "completionInfo", arguments: { file, ...place } })),
  ];
  const input = requests
    .map((request, index) => `${JSON.stringify({ seq: index + 1, type: "request", ...request })}\n`)
    .join("");
  const { stdout } = spawnSync(process.execPath, [server, "--disableAutomaticTypingAcquisition"], {
    input,
    encoding: "utf8",
    cwd: folder,
  });
  const answers = stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Answer);
  return answers
    .filter(({ command }) => command === "completionInfo")
    .map(({ body }) => (body?.entries ?? []).map(({ name }) => name));
}

interface Answer {
  readonly command?: string;
  readonly body?: { readonly entries?: readonly { readonly name: string }[] };
}

describe("an editor", () => {
  it("offers the tags that mean something, alone and in lists", () => {
    const lists = offered();
    expect(lists).toHaveLength(3);
    for (const list of lists) expect(list).toEqual(expect.arrayContaining([...knownTags]));
  });
});
