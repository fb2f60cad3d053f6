// What becomes of a command whose user code throws where nobody can catch it, or ends the process.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPackage } from "../../src/cli/package-info.ts";

const { root } = readPackage();
const bin = join(root, "bin", "xstate-operator.js");
const library = JSON.stringify(join(root, "src", "index.ts"));
const zod = JSON.stringify(join(root, "node_modules", "zod", "index.js"));

/** An operator of one kind, and what its module does besides. */
const operator = (more: string): string => `
import { defineController, defineKind, defineOperator } from ${library};
import { z } from ${zod};
const Page = defineKind({ group: "web.example.com", version: "v1", kind: "Page", spec: z.object({}) });
export default defineOperator({ name: "page", controllers: [defineController(Page, {})] });
${more}`;

interface Outcome {
  readonly code: number | null;
  readonly err: string;
}

describe("code of the user that nobody can catch", () => {
  let folder = "";
  let temporary = "";

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "xstate-operator-uncaught-"));
    temporary = mkdtempSync(join(tmpdir(), "xstate-operator-uncaught-tmp-"));
  });

  afterAll(() => {
    for (const each of [folder, temporary]) rmSync(each, { recursive: true, force: true });
  });

  /** Runs a module; what it does on SIGUSR2 happens once the cluster is up. */
  function run(text: string, ...args: readonly string[]): Promise<Outcome> {
    const file = join(folder, `module-${readdirSync(folder).length}.ts`);
    writeFileSync(file, text);
    return new Promise((resolve, reject) => {
      const child = spawn(
        process.execPath,
        [bin, "run", file, "--embedded", "--log-level", "error", ...args],
        {
          env: { ...process.env, NODE_OPTIONS: "", TMPDIR: temporary },
          stdio: ["ignore", "ignore", "pipe"],
        },
      );
      let err = "";
      child.stderr.setEncoding("utf8").on("data", (more: string) => {
        const wasUp = err.includes("the cluster is up");
        err += more;
        if (!wasUp && err.includes("the cluster is up")) child.kill("SIGUSR2");
      });
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, err }));
    });
  }

  it.each([
    ["an error from a callback", `process.once("SIGUSR2", () => { throw new Error("much later"); });`],
    [
      "a rejection that nobody awaits",
      `process.once("SIGUSR2", () => void Promise.reject(new Error("much later")));`,
    ],
  ])("tells %s of a running operator without a stack, and ends in order", async (_what, more) => {
    const { code, err } = await run(operator(more));
    expect(code).toBe(1);
    expect(err).toContain("error: an uncaught error was thrown: Error: much later\n");
    expect(err).toMatch(/where: .*module-\d+\.ts:6:/);
    expect(err).toContain("code: UNCAUGHT");
    expect(err).not.toMatch(/^ {4}at |Node\.js v/m);
    // The embedded cluster was up and has gone with its files.
    expect(err).toContain("the cluster is up");
    expect(readdirSync(temporary).filter((name) => name.startsWith("xstate-operator-cluster"))).toEqual([]);
  });

  it("adds the stack with --debug", async () => {
    const { code, err } = await run(
      `Promise.reject(new Error("at once")); await new Promise(() => {});`,
      "--debug",
    );
    expect(code).toBe(1);
    expect(err).toMatch(/^caused by: Error: at once\n {4}at /m);
  });

  it.each([
    ["ends the process with 0", `process.exit(0);`, 1, "the process ended before the command was done"],
    ["ends the process with 3", `process.exit(3);`, 3, "the process ended with exit code 3"],
    ["waits for nothing", `await new Promise(() => {});`, 1, "the process ended before the command was done"],
    [
      "ends the process later",
      operator(`process.once("SIGUSR2", () => process.exit(0));`),
      1,
      "before the command was done",
    ],
  ])("is no success when the module %s", async (_what, text, expected, sentence) => {
    const { code, err } = await run(text);
    expect(err).toContain(sentence);
    expect(err).toContain("code: ENDED_EARLY");
    expect(err).not.toContain("Warning:");
    expect(code).toBe(expected);
  });
});
