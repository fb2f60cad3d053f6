// A user of the package in a terminal of 60 columns: with npm, an empty home, and nothing of this repository.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { eventually } from "../support/eventually.ts";

/** Why there is no such terminal; undefined when there is one. */
export const whyNoTerminal: string | undefined =
  process.platform !== "linux" || spawnSync("script", ["--version"]).status !== 0
    ? "no script(1) of Linux"
    : undefined;

/** What a command came to. */
export interface Said {
  readonly code: number | null;
  readonly text: string;
  readonly seconds: number;
}

/** A command that goes on. */
export interface Going {
  /** Waits until it has said something, and returns the first group. */
  readonly says: (pattern: RegExp) => Promise<string>;
  /** What Ctrl-C does; what it came to. */
  readonly interrupt: () => Promise<Said>;
}

/** What npm and other tools say beside the matter. */
export const noise =
  /\bwarn|deprecat|experimental|EBADENGINE|ERESOLVE|MODULE_TYPELESS|npm notice|install[- ]scripts|allow-?scripts/i;

/** The user whose files are below `folder`, on the Node that runs this; `more` folders are on their path. */
export function userAt(folder: string, more: readonly string[] = []) {
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  const setting = (name: string): string =>
    spawnSync("npm", ["config", "get", name], { encoding: "utf8" }).stdout.trim();
  // What is fetched is shared with others; what npx installs of it is gone with the folder.
  const cache = join(folder, "npm");
  mkdirSync(cache);
  const fetched = join(setting("cache"), "_cacache");
  if (existsSync(fetched)) symlinkSync(fetched, join(cache, "_cacache"));
  // How this machine reaches a registry.
  const network = Object.entries(process.env).filter(([variable]) => /_proxy$|_CERT/i.test(variable));
  const others = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((path) => !path.includes("node_modules"));
  const env = {
    PATH: [dirname(process.execPath), ...more, ...others].join(delimiter),
    HOME: home,
    TERM: "xterm",
    npm_config_cache: cache,
    // Now and then npm speaks of its own next version.
    npm_config_update_notifier: "false",
    npm_config_registry: setting("registry"),
    ...Object.fromEntries(network),
  };

  function start(command: string, cwd: string) {
    const begun = performance.now();
    const args = ["-qefc", `stty cols 60 rows 40; ${command}`, "/dev/null"];
    const child: ChildProcess = spawn("script", args, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
    let output = "";
    child.stdout?.setEncoding("utf8").on("data", (more: string) => (output += more));
    const text = (): string => stripVTControlCharacters(output).replaceAll("\r", "");
    const ended = new Promise<Said>((resolve) => {
      child.once("close", (code) =>
        resolve({ code, text: text(), seconds: (performance.now() - begun) / 1_000 }),
      );
    });
    return { child, text, ended };
  }

  return {
    env,
    /** Runs a command to its end. */
    async run(command: string, cwd = folder): Promise<Said> {
      const { child, ended } = start(command, cwd);
      child.stdin?.end();
      return await ended;
    },
    /** Starts a command. */
    begin(command: string, cwd = folder): Going {
      const { child, text, ended } = start(command, cwd);
      return {
        says: (pattern) =>
          eventually(() => {
            if (child.exitCode !== null) throw new Error(`ended: ${text()}`);
            const found = pattern.exec(text());
            if (found === null) throw new Error(`did not say ${pattern}: ${text()}`);
            return found[1] ?? found[0];
          }, 60_000),
        interrupt: async () => {
          child.stdin?.write("\u0003");
          return await ended;
        },
      };
    },
  };
}
