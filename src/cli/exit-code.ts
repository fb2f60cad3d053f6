// A command that has said everything itself and only leaves an exit code.
import type { Terminal } from "./terminal.ts";

/** Ends the command line with a code, without a further word. */
export class ExitCode extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** The exit code of what a user has ended before it was done. */
export const interrupted = 130;

/** The error of a command that works step by step, or, if its user has ended it, the exit code for that, which is said. */
export function failureOf(error: unknown, terminal: Pick<Terminal, "err">, signal: AbortSignal): unknown {
  if (!signal.aborted) return error;
  terminal.err("interrupted; what is done stays, and the same command goes on from there\n");
  return new ExitCode(interrupted);
}
