// The log of one instance of a container: a file, and those who follow it.
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import type { Clock } from "../../../ports/clock.ts";
import type { PodLogRequest } from "../pod-runtime.ts";
import {
  formatLogLine,
  LineSplitter,
  type LogLine,
  parseLogLine,
  selectLogLines,
  shownLines,
} from "../log-line.ts";

/** Takes the output of one instance and serves it. */
export class ContainerLog {
  readonly file: string;
  #clock: Clock;
  #descriptor: number | undefined;
  #splitters = { stdout: new LineSplitter(), stderr: new LineSplitter() };
  #followers = new Set<(line: LogLine | undefined) => void>();

  constructor(file: string, clock: Clock) {
    this.file = file;
    this.#clock = clock;
    this.#descriptor = openSync(file, "a", 0o640);
  }

  /** Takes output as it comes. */
  write(stream: "stdout" | "stderr", chunk: Uint8Array): void {
    for (const text of this.#splitters[stream].push(chunk)) this.#add({ stream, text, complete: true });
  }

  /** No more output will come. */
  end(): void {
    if (this.#descriptor === undefined) return;
    for (const stream of ["stdout", "stderr"] as const) {
      const text = this.#splitters[stream].end();
      if (text !== undefined) this.#add({ stream, text, complete: false });
    }
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
    for (const follower of this.#followers) follower(undefined);
    this.#followers.clear();
  }

  /** What was written, and with `follow` what will be, until the end or the request's signal. */
  read(request: PodLogRequest): AsyncIterable<string> {
    return shownLines(request.follow === true ? this.#follow(request) : this.#present(request), request);
  }

  /** Synchronously, so that a follower can begin exactly where the file ends. */
  #present(request: PodLogRequest): readonly LogLine[] {
    const rows = readFileSync(this.file, "utf8").split("\n");
    const lines = rows.flatMap((row) => parseLogLine(row) ?? []);
    return selectLogLines(lines, request, this.#clock.now());
  }

  async *#follow(request: PodLogRequest): AsyncIterable<LogLine> {
    const waiting: (LogLine | undefined)[] = [...this.#present(request)];
    let wake: (() => void) | undefined;
    const follower = (line: LogLine | undefined): void => {
      waiting.push(line);
      wake?.();
    };
    const stop = (): void => follower(undefined);
    if (this.#descriptor === undefined) waiting.push(undefined);
    else this.#followers.add(follower);
    request.signal?.addEventListener("abort", stop, { once: true });
    try {
      while (request.signal?.aborted !== true) {
        if (waiting.length === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const line = waiting.shift();
        if (line === undefined) return;
        yield line;
      }
    } finally {
      this.#followers.delete(follower);
      request.signal?.removeEventListener("abort", stop);
    }
  }

  #add(line: Omit<LogLine, "time">): void {
    if (this.#descriptor === undefined) return;
    const whole = { time: new Date(this.#clock.now()).toISOString(), ...line };
    // Synchronously, so that a line is in the file before a follower can start after it.
    writeSync(this.#descriptor, formatLogLine(whole));
    for (const follower of this.#followers) follower(whole);
  }
}
