// A temporary folder that is full, missing or no folder: said at once, with the folder, the reason and what to do.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readPackage } from "../../src/cli/package-info.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import { eventually } from "../support/eventually.ts";

const { root } = readPackage();
const folder = mkdtempSync(join(tmpdir(), "xstate-operator-temporary-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Outcome {
  readonly code: number | null;
  readonly err: string;
}

/** Runs a program until it ends; one that goes on is ended, and has no exit code. */
function end(program: string, args: readonly string[], temporary: string): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { ...process.env, NODE_OPTIONS: "", TMPDIR: temporary },
      stdio: ["ignore", "ignore", "pipe"],
      timeout: 20_000,
    });
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (more: string) => (err += more));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, err }));
  });
}

const command = [
  process.execPath,
  join(root, "bin", "xstate-operator.js"),
  "run",
  join(root, "examples", "website", "operator.ts"),
  "--embedded",
];

/** A file system of one page, which is taken; only the process that has made it sees it, and it goes with it. */
const full = 'mount -t tmpfs -o size=4k tmpfs "$TMPDIR" && echo taken > "$TMPDIR/taken" && exec "$@"';
const maySplit =
  spawnSync("unshare", ["--map-root-user", "--mount", "sh", "-c", full, "sh", "true"], {
    env: { ...process.env, TMPDIR: folder },
  }).status === 0;

describe("a temporary folder that cannot be used", () => {
  it.each([
    ["is missing", "missing", "there is no such folder", "Make it, or use another folder"],
    ["is a file", "file", "it is not a folder", "Make it writable, or use another folder"],
  ])("that %s is named, with the reason and the remedy", async (_, name, why, remedy) => {
    const temporary = join(folder, name);
    if (name === "file") writeFileSync(temporary, "");
    const [program = "", ...args] = command;
    const { code, err } = await end(program, args, temporary);
    expect(code).toBe(1);
    expect(err).toContain(`error: no temporary folder can be made in ${temporary}: ${why}`);
    expect(err).toContain(`do: ${remedy}; the environment variable TMPDIR names`);
    expect(err).toContain("code: FOLDER_NOT_MADE");
  });

  it.skipIf(!maySplit)(
    "that is full ends the command at once (skipped: no file systems of one's own)",
    async () => {
      const temporary = join(folder, "full");
      mkdirSync(temporary);
      const own = ["--map-root-user", "--mount", "sh", "-c", full, "sh", ...command];
      const { code, err } = await end("unshare", own, temporary);
      expect(code).toBe(1);
      expect(err).toContain("cannot be written: the file system is full (ENOSPC)");
      expect(err).toContain(`the kubeconfig ${temporary}/xstate-operator-cluster-`);
      expect(err).toContain("do: Free space there, or use another folder");
      expect(err).toContain("code: FILE_NOT_WRITTEN");
    },
    60_000,
  );
});

describe("a cluster whose files cannot be written", () => {
  it("has left no server behind when its start fails", async () => {
    const directory = join(folder, "cluster");
    mkdirSync(join(directory, "kubeconfig"), { recursive: true });
    const sockets = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;
    const before = sockets();
    await expect(startCluster({ directory })).rejects.toMatchObject({ code: "FILE_NOT_WRITTEN" });
    await eventually(() => expect(sockets()).toBe(before));
    expect(readdirSync(directory)).toEqual(["kubeconfig"]);
  });
});
