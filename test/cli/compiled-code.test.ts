// What the command line compiles once is kept for its next start.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readPackage } from "../../src/cli/package-info.ts";

const { root, version } = readPackage();
let folder = "";
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "xstate-operator-compiled-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function printVersion(env: NodeJS.ProcessEnv): string {
  const args = [join(root, "bin", "xstate-operator.js"), "version"];
  // Its own variable is left out, as the test itself may run with one.
  const { NODE_COMPILE_CACHE: _, ...inherited } = process.env;
  return execFileSync(process.execPath, args, { env: { ...inherited, NODE_OPTIONS: "", ...env } }).toString();
}

describe("compiled code", () => {
  it("is kept in the user's cache", () => {
    expect(printVersion({ XDG_CACHE_HOME: folder })).toContain(version);
    expect(readdirSync(join(folder, "xstate-operator", "compiled"))).not.toEqual([]);
  });

  it("is kept where the user says", () => {
    printVersion({ XDG_CACHE_HOME: join(folder, "cache"), NODE_COMPILE_CACHE: join(folder, "mine") });
    expect(readdirSync(join(folder, "mine"))).not.toEqual([]);
    expect(existsSync(join(folder, "cache"))).toBe(false);
  });

  it("is not kept where nothing can be written, and nothing is said of it", () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    expect(printVersion({ XDG_CACHE_HOME: file })).toContain(version);
  });
});
