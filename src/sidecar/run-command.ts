// A command, of the sidecar or of a test: in a process group of its own, which is ended as a whole; what it prints is read as it comes, and no
// more of it is kept than may be.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import type { Clock } from "../ports/clock.ts";

/** What is run. */
export interface CommandOptions {
  readonly command: readonly string[];
  /** Where it runs; default where this process does. */
  readonly folder?: string;
  /** Added to this process's own environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads. */
  readonly stdin?: string;
  /** Ends it: SIGTERM to its group, and SIGKILL after the grace. */
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly grace: number;
  readonly clock: Clock;
  /** Bytes of standard output and error that are kept: their ends. */
  readonly maxOutput: number;
  /** Called with each whole line of standard output; true: it is not kept. */
  readonly onLine?: (line: string) => boolean;
  /** Called with the number of its process, which leads its group, once it runs. */
  readonly onStart?: (pid: number) => void;
}

/** How it ended. */
export interface CommandEnd {
  /** 128 and the signal's number for one that a signal has ended; 127 for one that could not be started. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Longest line that is looked at; more of it is text like any other. */
const longestLine = 16_384;

/** Milliseconds in which the output of a command that has ended is read to its end. */
const lingersFor = 1_000;

/** Runs a command to its end. Never rejects. */
export function runCommand(options: CommandOptions): Promise<CommandEnd> {
  const { command, folder, env = {}, signal, grace, clock, maxOutput, stdin = "" } = options;
  const { onLine = () => false } = options;
  const [program = "", ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      ...(folder === undefined ? {} : { cwd: folder }),
      // oxlint-disable-next-line no-restricted-properties -- an edge: the command's environment is the container's
      env: { ...process.env, ...env },
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    if (child.pid !== undefined) options.onStart?.(child.pid);
    const out = new Tail(maxOutput);
    const err = new Tail(maxOutput);
    let line = "";
    const take = (text: string): void => {
      const parts = (line + text).split("\n");
      line = parts.pop() ?? "";
      for (const part of parts) if (part.length > longestLine || !onLine(part)) out.add(`${part}\n`);
      if (line.length > longestLine) {
        out.add(line);
        line = "";
      }
    };
    child.stdout.setEncoding("utf8").on("data", take);
    child.stderr.setEncoding("utf8").on("data", (text: string) => err.add(text));
    // A command that does not read its input is none the worse for it.
    child.stdin.on("error", () => undefined);
    child.stdin.end(stdin);
    const send = (name: NodeJS.Signals): void => {
      if (child.pid !== undefined) signalGroup(child.pid, name);
    };
    let timer: object | undefined;
    let lingering: object | undefined;
    const end = (): void => {
      send("SIGTERM");
      timer = clock.setTimeout(() => send("SIGKILL"), grace);
    };
    const settle = (exitCode: number): void => {
      signal.removeEventListener("abort", end);
      if (timer !== undefined) clock.clearTimeout(timer);
      if (lingering !== undefined) clock.clearTimeout(lingering);
      if (line !== "" && !onLine(line)) out.add(line);
      resolve({ exitCode, stdout: out.text, stderr: err.text });
    };
    child.once("error", (error) => {
      err.add(error.message);
      if (child.pid === undefined) settle(127);
    });
    child.once("exit", () => {
      // What it has left running holds its output open; what has left its group as well, and is not waited for.
      send("SIGKILL");
      lingering = clock.setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, lingersFor);
    });
    child.once("close", (code, name) => settle(code ?? 128 + constants.signals[name ?? "SIGKILL"]));
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}

function signalGroup(leader: number, name: NodeJS.Signals): void {
  try {
    process.kill(-leader, name);
  } catch {
    // It has ended meanwhile.
  }
}

/** The end of a text. What is no longer part of it is let go of now and then, so that a short line costs as little as it is long. */
class Tail {
  readonly #limit: number;
  #parts: string[] = [];
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(more: string): void {
    this.#parts.push(more);
    this.#length += more.length;
    if (this.#length > Math.max(4 * this.#limit, longestLine)) this.#keep(this.#joined());
  }

  get text(): string {
    const bytes = Buffer.from(this.#joined());
    return bytes.subarray(Math.max(0, bytes.length - this.#limit)).toString("utf8");
  }

  /** A character is one byte at least. */
  #joined(): string {
    return this.#parts.join("").slice(-this.#limit);
  }

  #keep(text: string): void {
    this.#parts = [text];
    this.#length = text.length;
  }
}
