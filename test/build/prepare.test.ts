// What npm runs on an installation from a folder: builds, or says what is missing.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "xstate-operator-prepare-"));
  mkdirSync(join(folder, "build"));
  copyFileSync(new URL("../../build/prepare.js", import.meta.url), join(folder, "build", "prepare.js"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function prepare(env: Readonly<Record<string, string>>): {
  readonly status: number | null;
  readonly err: string;
} {
  const script = join(folder, "build", "prepare.js");
  const { status, stderr } = spawnSync(process.execPath, [script], { env, encoding: "utf8" });
  return { status, err: stderr };
}

describe("preparing the package", () => {
  it("costs nothing when a checkout is set up", () => {
    expect(prepare({ npm_command: "ci", INIT_CWD: folder })).toEqual({ status: 0, err: "" });
  });

  it("refuses to be installed into another project without its modules, and says what to run", () => {
    const { status, err } = prepare({ npm_command: "install", INIT_CWD: tmpdir() });
    expect(status).toBe(1);
    expect(err).toContain(`cd ${folder} && npm ci && npm run build`);
  });
});
