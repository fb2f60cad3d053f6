import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "./run-in-process.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "xstate-operator-completion-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Whether a program can be started. */
function isThere(program: string): boolean {
  return spawnSync(program, ["--version"]).error === undefined;
}

async function scriptFor(shell: string): Promise<string> {
  const { code, out } = await runCommand(["completion", shell]);
  expect(code).toBe(0);
  const file = join(folder, shell);
  writeFileSync(file, out);
  return file;
}

const lines: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["xstate-operator gen", ["generate"], ["run"]],
  ["xstate-operator ", ["run", "generate", "cluster", "completion", "--debug"], ["crd"]],
  ["xstate-operator generate ", ["crd", "resource"], ["run"]],
  ["xstate-operator generate crd --o", ["--output", "--out"], ["--embedded"]],
  ["xstate-operator run operator.ts --emb", ["--embedded"], []],
];

/** For the name of a test: why it is skipped. */
const without = (shell: string): string => (isThere(shell) ? "" : ` (skipped: ${shell} is not installed)`);

describe("completion", () => {
  it.skipIf(!isThere("bash"))(
    `completes commands, their parts and options in bash${without("bash")}`,
    async () => {
      const script = await scriptFor("bash");
      for (const [line, offered, others] of lines) {
        const words = line.split(" ").map((word) => `'${word}'`);
        const program = `source ${script}; COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _xstate_operator; printf '%s\\n' "\${COMPREPLY[@]}"`;
        const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", program], { encoding: "utf8" });
        expect(stderr).toBe("");
        const found = stdout.trim().split("\n");
        expect(found, line).toEqual(expect.arrayContaining([...offered]));
        for (const other of others) expect(found, line).not.toContain(other);
      }
    },
  );

  it.skipIf(!isThere("zsh"))(`is read by zsh${without("zsh")}`, async () => {
    const script = await scriptFor("zsh");
    const program = `autoload -U compinit && compinit -u; source ${script}; print -r -- $_comps[xstate-operator]`;
    const { stdout, stderr } = spawnSync("zsh", ["-f", "-c", program], { encoding: "utf8" });
    expect({ stderr, registered: stdout.includes("_bash_complete") }).toEqual({
      stderr: "",
      registered: true,
    });
  });

  it.skipIf(!isThere("fish"))(
    `completes commands, their parts and options in fish${without("fish")}`,
    async () => {
      const script = await scriptFor("fish");
      for (const [line, offered, others] of lines) {
        const { stdout } = spawnSync("fish", ["-N", "-c", `source ${script}; complete -C '${line}'`], {
          encoding: "utf8",
        });
        const found = stdout.split("\n").map((each) => each.split("\t")[0]);
        expect(found, line).toEqual(expect.arrayContaining([...offered]));
        for (const other of others) expect(found, line).not.toContain(other);
      }
    },
  );

  it("is refused for another shell", async () => {
    expect(await runCommand(["completion", "tcsh"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("Allowed choices are bash, zsh, fish") as string,
    });
  });
});

describe("help", () => {
  it("is what --help says, of the program and of a command", async () => {
    expect(await runCommand(["help"])).toEqual(await runCommand(["--help"]));
    expect(await runCommand(["help", "generate", "crd"])).toEqual(
      await runCommand(["generate", "crd", "--help"]),
    );
  });
});

describe("an object", () => {
  it.each([
    [["explain", "database/orders"]],
    [["explain", "database", "orders"]],
    [["watch", "database", "orders", "--until", "Running"]],
    [["send", "database", "orders", "retry"]],
    [["send", "database/orders", "retry"]],
  ])("is named with a slash or without: %j", async (args) => {
    const { code, err } = await runCommand([...args, "--kubeconfig", join(folder, "none")]);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("KUBECONFIG") as string });
  });

  it.each([
    [["explain", "database"]],
    [["explain", "database/orders", "more"]],
    [["watch", "database/a/b"]],
    [["send", "database", "retry"]],
  ])("is refused: %j", async (args) => {
    const { code, err } = await runCommand(args);
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining("Write the kind, a slash and the name: database/orders.") as string,
    });
  });
});

const assets = process.env["KUBEBUILDER_ASSETS"];

describe("the plugin of kubectl", () => {
  it.skipIf(assets === undefined)(
    `is called by kubectl under its own name${assets === undefined ? " (skipped: KUBEBUILDER_ASSETS is not set)" : ""}`,
    () => {
      symlinkSync(
        join(import.meta.dirname, "../../bin/xstate-operator.js"),
        join(folder, "kubectl-lifecycle"),
      );
      const path = [folder, join(process.execPath, ".."), assets].join(delimiter);
      const { stdout, stderr } = spawnSync("kubectl", ["lifecycle", "version", "-o", "json"], {
        env: { ...process.env, PATH: path },
        encoding: "utf8",
      });
      expect({ stderr, out: JSON.parse(stdout) as unknown }).toEqual({
        stderr: "",
        out: { version: "0.1.0", node: process.versions.node },
      });
    },
  );
});
