// What a command may touch of its process: two streams, the environment, the folder, and the wish to stop.
import { resolve } from "node:path";

/** The outside of a command. */
export interface Terminal {
  /** What was asked for: data for people or programs. */
  readonly out: (text: string) => void;
  /** Everything else: progress, logs, errors. */
  readonly err: (text: string) => void;
  /** Whether `err` is watched by a person. */
  readonly interactive: boolean;
  readonly color: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** An absolute path, from one that was typed. */
  path(typed: string): string;
  /** A signal that is aborted on the first SIGINT or SIGTERM; the second one ends the process at once. */
  stopSignal(): AbortSignal;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const interactive = process.stderr.isTTY;
  // A reader that goes away (`| head`) is no failure of ours.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    interactive,
    // https://no-color.org: any value but the empty one.
    color: interactive && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb",
    env: process.env,
    path: (typed) => resolve(process.cwd(), typed),
    stopSignal,
  };
}

function stopSignal(): AbortSignal {
  const abort = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      if (abort.signal.aborted) process.exit(name === "SIGINT" ? 130 : 143);
      abort.abort(new Error(`stopped by ${name}`));
    });
  }
  return abort.signal;
}
