// The commands of the guide on shipping, as they stand there.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "./code-blocks.ts";

const page = readFileSync(join(root, "docs/guides/shipping.md"), "utf8");
const commands = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = ""]) =>
  block.trim().split("\n"),
);
/** What needs a registry, an engine for images, or a cluster. */
const elsewhere = /^(npm install|docker|kubectl|xstate-operator (un)?install)/;

describe("the guide on shipping", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "xstate-operator-shipping-"));
    symlinkSync(join(root, "examples"), join(folder, "examples"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const run = (command: string) => {
    const [name, ...args] = command.split(" ");
    const program = name === "xstate-operator" ? [join(root, "bin/xstate-operator.js")] : [];
    return spawnSync(process.execPath, [...program, ...args], { cwd: folder, encoding: "utf8" });
  };

  it.each(commands.filter((command) => !elsewhere.test(command)))(
    "has a command that works: %s",
    (command) => {
      const { status, stdout, stderr } = run(command);
      expect(status, stderr).toBe(0);
      expect(stdout).not.toBe("");
    },
    120_000,
  );

  it("has commands of every kind that it speaks of", () => {
    for (const name of ["generate rbac", "build", "generate manifests", "generate bundle"]) {
      expect(commands.some((command) => command.startsWith(`xstate-operator ${name}`))).toBe(true);
    }
  });
});
