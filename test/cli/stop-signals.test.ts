// How the command ends with what started it: signals in every form they arrive in, and a parent that is killed.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readPackage } from "../../src/cli/package-info.ts";

const { root } = readPackage();
const command = [
  "--disable-warning=ExperimentalWarning",
  "--conditions=xstate-operator-source",
  join(root, "src", "cli", "main.ts"),
  "cluster",
  "up",
  "-o",
  "json",
];

describe("the end of a command that stays up", () => {
  let temporary = "";
  let child: ChildProcess | undefined;

  beforeEach(() => {
    temporary = mkdtempSync(join(tmpdir(), "xstate-operator-stop-"));
  });

  afterEach(() => {
    child?.kill("SIGKILL");
    rmSync(temporary, { recursive: true, force: true });
  });

  /** Starts it, waits until it is up, and resolves with the folder it has made. */
  async function up(args: readonly string[], ...more: readonly "ipc"[]): Promise<string> {
    child = spawn(process.execPath, args, {
      env: { ...process.env, NODE_OPTIONS: "", TMPDIR: temporary },
      stdio: ["ignore", "pipe", "inherit", ...more],
    });
    const [line] = (await once(child.stdout!, "data")) as [Buffer];
    const { directory } = JSON.parse(line.toString()) as { directory: string };
    expect(existsSync(directory)).toBe(true);
    return directory;
  }

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("is in order on %s", async (signal) => {
    const directory = await up(command);
    child?.kill(signal);
    expect(await once(child!, "exit")).toEqual([0, null]);
    expect(existsSync(directory)).toBe(false);
  });

  it("is in order when the signal arrives a second time on another way", async () => {
    const directory = await up(command);
    child?.kill("SIGINT");
    child?.kill("SIGINT");
    child?.kill("SIGTERM");
    expect(await once(child!, "exit")).toEqual([0, null]);
    expect(existsSync(directory)).toBe(false);
  });

  it("comes with the end of the process at the other end of its channel", async () => {
    const directory = await up(command, "ipc");
    child?.disconnect();
    expect(await once(child!, "exit")).toEqual([0, null]);
    expect(existsSync(directory)).toBe(false);
  });

  it.each(["on this Node", "on an older one, through a process in between"])(
    "comes with the end of the shell by which npm has started it (%s)",
    async (where) => {
      const bin = join(root, "bin", "xstate-operator.js");
      // Without execve, as before Node 23.11.
      const older = where.includes("older") ? `--import "data:text/javascript,delete process.execve"` : "";
      const line = `"${process.execPath}" ${older} "${bin}" cluster up -o json; :`;
      child = spawn("sh", ["-c", line], {
        env: { ...process.env, NODE_OPTIONS: "", TMPDIR: temporary, npm_lifecycle_event: "npx" },
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [first] = (await once(child.stdout!, "data")) as [Buffer];
      const { directory } = JSON.parse(first.toString()) as { directory: string };
      child.kill("SIGTERM");
      // The stream ends with the last process that has it.
      await once(child.stdout!.resume(), "end");
      expect(existsSync(directory)).toBe(false);
    },
  );

  it("leaves no handle behind that a channel keeps open", async () => {
    const directory = await up(command, "ipc");
    child?.kill("SIGTERM");
    expect(await once(child!, "exit")).toEqual([0, null]);
    expect(existsSync(directory)).toBe(false);
  });

  it.each(["command-line.ts", "commands/run.ts"])(
    "is in order when an operator is stopped while %s is still being loaded",
    async (file) => {
      const hook = `import { registerHooks } from "node:module";
        registerHooks({ load(url, context, next) {
          if (url.endsWith("/${file}")) process.kill(process.pid, "SIGTERM");
          return next(url, context);
        } });`;
      const [disable = "", condition = "", main = ""] = command;
      const operator = join(root, "examples", "website", "operator.ts");
      const loading = ["--import", `data:text/javascript,${encodeURIComponent(hook)}`];
      child = spawn(process.execPath, [disable, condition, ...loading, main, "run", operator, "--embedded"], {
        env: { ...process.env, NODE_OPTIONS: "", TMPDIR: temporary },
        stdio: ["ignore", "inherit", "pipe"],
      });
      let said = "";
      child.stderr?.setEncoding("utf8").on("data", (more: string) => (said += more));
      expect(await once(child, "exit")).toEqual([0, null]);
      expect(said).not.toMatch(/error|debug/);
    },
  );
});
