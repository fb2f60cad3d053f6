// The command line of xstate-operator as processes of their own, as a user would start them.
import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const example = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The module of this example's operator. */
export const operatorModule = join(example, "operator.ts");

/** The arguments of Node that run a command. */
export function commandLine(command: readonly string[]): string[] {
  const main = join(dirname(dirname(example)), "src", "cli", "main.ts");
  return ["--disable-warning=ExperimentalWarning", "--conditions=xstate-operator-source", main, ...command];
}

/** Runs a command to its end; returns its lines. Errors: when it fails, with what it said. */
export async function runCommand(command: readonly string[], signal: AbortSignal): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, commandLine(command), { signal });
  return stdout.split("\n").filter((line) => line !== "");
}
