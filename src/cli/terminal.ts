// What a command may touch of its process: two streams, the environment, the folder, and the signal to stop.
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { text as readText } from "node:stream/consumers";
import { visibleBut } from "./visible-text.ts";

/** The outside of a command. */
export interface Terminal {
  /** What was asked for: data for people or programs. Of a text is shown what would do something to a terminal. */
  readonly out: (data: string | Uint8Array) => void;
  /** Everything else: progress, logs, errors. Likewise. */
  readonly err: (text: string) => void;
  /** Whether `err` is watched by a person. */
  readonly interactive: boolean;
  /** Whether `err` may be coloured. */
  readonly color: boolean;
  /** Whether `out` may be coloured: not when it is piped. */
  readonly outColor: boolean;
  /** The size of the screen on which a person watches `out`; undefined when nobody does. */
  screen(): Screen | undefined;
  /** Everything that is given on standard input. */
  readIn(): Promise<string>;
  /** Asks the person at the terminal; undefined when they go without an answer. Absent when there is nobody to ask. */
  readonly ask?: (question: string) => Promise<string | undefined>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** An absolute path, from one that was typed. */
  path(typed: string): string;
  /**
   * A signal that is aborted on the first SIGINT, SIGTERM or SIGHUP, and when the parent at the other end of an IPC
   * channel has gone, or npm that has started it. Another one later than a second after it ends the process at once.
   */
  stopSignal(): AbortSignal;
}

/** Characters in a line, and lines. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
}

/** The terminal of the process itself, which can also be asked to stop. */
export interface ProcessTerminal extends Terminal {
  /** Aborts the stop signal as a real signal does; false when no command has asked for it, so that nobody listens. */
  stop(reason: string): boolean;
  /** Whether the stop signal was aborted. */
  readonly stopping: boolean;
}

/** The terminal of this process. */
export function processTerminal(): ProcessTerminal {
  const abort = new AbortController();
  let asked = false;
  // https://no-color.org: any value but the empty one.
  const mayColor = (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb";
  const interactive = process.stderr.isTTY;
  // A reader that goes away is no failure of ours: a pipe (`| head`), or the terminal whose window is closed.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
    });
  }
  const outColor = process.stdout.isTTY && mayColor;
  const showOut = visibleBut({ color: outColor, moves: process.stdout.isTTY });
  const showErr = visibleBut({ color: interactive && mayColor, moves: interactive });
  return {
    out: (data) => void process.stdout.write(typeof data === "string" ? showOut(data) : data),
    err: (text) => void process.stderr.write(showErr(text)),
    interactive,
    color: interactive && mayColor,
    outColor,
    screen() {
      const { isTTY, columns, rows } = process.stdout;
      // Some terminals do not say how large they are.
      return isTTY ? { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 } : undefined;
    },
    readIn: () => readText(process.stdin),
    ...(interactive && process.stdin.isTTY ? { ask: (question) => askOn(process.stderr, question) } : {}),
    env: process.env,
    path: (typed) => resolve(process.cwd(), typed),
    stopSignal() {
      if (!asked) stopOnSignals(abort);
      asked = true;
      return abort.signal;
    },
    stop(reason) {
      if (asked) abort.abort(new Error(`stopped by ${reason}`));
      return asked;
    },
    get stopping() {
      return abort.signal.aborted;
    },
  };
}

/** Milliseconds between two looks at who has started this process. */
const starterLooks = 500;

/** Whether npm or npx have started this process: between them is a shell, which a signal ends without passing it on. */
function isStartedByNpm(env: Readonly<Record<string, string | undefined>>): boolean {
  return env["npm_lifecycle_event"] !== undefined || env["npm_command"] !== undefined;
}

/** Calls back once when the process that has started this one is gone. */
function followStarter(onGone: () => void): void {
  const starter = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === starter) return;
    clearInterval(timer);
    onGone();
  }, starterLooks);
  timer.unref();
}

/** One line of standard input; undefined at its end, and at Ctrl-C. */
async function askOn(output: NodeJS.WriteStream, question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output });
  try {
    return await new Promise((resolve) => {
      for (const end of ["SIGINT", "close"]) lines.once(end, () => resolve(undefined));
      lines.question(question, resolve);
    });
  } finally {
    lines.close();
  }
}

/** A repeated signal within it is the same signal by another route: npm and `timeout` pass on what the group has got. */
const sameSignal = 1000;

function stopOnSignals(abort: AbortController): void {
  let since: number | undefined;
  const stop = (reason: string): void => {
    since ??= performance.now();
    abort.abort(new Error(`stopped by ${reason}`));
  };
  for (const [name, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    process.on(name, () => {
      if (since !== undefined && performance.now() - since > sameSignal) process.exit(code);
      stop(name);
    });
  }
  if (isStartedByNpm(process.env)) followStarter(() => stop("the end of npm, which has started it"));
  // A process that started this one with a channel has it end with itself, even when it is killed.
  process.once("disconnect", () => stop("the end of the process that started it"));
  process.channel?.unref();
}
