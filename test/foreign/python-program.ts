// Programs in Python, with packages of the registry in an environment of their own, which is kept.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** An environment that has the packages. */
export interface PythonEnvironment {
  readonly python: string;
  /** Where the environment is, and what is fetched beside it. */
  readonly folder: string;
  /** Runs pip in the folder. */
  pip(...args: readonly string[]): { readonly failure: string } | undefined;
}

/** Makes one; says why where it cannot. */
export function pythonWith(
  name: string,
  packages: readonly string[],
): PythonEnvironment | { readonly failure: string } {
  const folder = join(tmpdir(), "xstate-operator-foreign", "operators", name);
  mkdirSync(folder, { recursive: true });
  const python = join(folder, "venv/bin/python");
  const run = (command: string, args: readonly string[]): { readonly failure: string } | undefined => {
    const { status, stderr, error } = spawnSync(command, args, { cwd: folder, encoding: "utf8" });
    if (status === 0) return undefined;
    const said = error?.message ?? stderr.trim().split("\n").slice(-3).join("; ");
    return { failure: `${command} ${args.join(" ")}: ${said}` };
  };
  const pip = (...args: readonly string[]): { readonly failure: string } | undefined =>
    run(python, ["-m", "pip", "--quiet", "--disable-pip-version-check", ...args]);
  const made = existsSync(python) ? undefined : run("python3", ["-m", "venv", "venv"]);
  return made ?? pip("install", ...packages) ?? { python, folder, pip };
}
