// Runs one command line in the test's own process, without a terminal.
import { resolve } from "node:path";
import { runCommandLine } from "../../src/cli/command-line.ts";

/** How a command ended. */
export interface CommandOutcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs it; `env` is all that it sees of the environment. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandOutcome> {
  let [out, err] = ["", ""];
  const code = await runCommandLine(args, {
    out: (more) => void (out += more),
    err: (more) => void (err += more),
    interactive: false,
    color: false,
    outColor: false,
    env,
    path: (typed) => resolve(process.cwd(), typed),
    stopSignal: () => new AbortController().signal,
  });
  return { code, out, err };
}
