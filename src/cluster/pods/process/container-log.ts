// The log of one instance of a container: a file, and those who follow it.
import { closeSync, openSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Clock } from "../../../ports/clock.ts";
import type { PodLogRequest } from "../pod-runtime.ts";
import {
  formatLogLine,
  LineSplitter,
  type LogLine,
  parseLogLine,
  selectLogLines,
  showLogLine,
} from "./log-line.ts";

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
  async *read(request: PodLogRequest): AsyncIterable<string> {
    const waiting: (LogLine | undefined)[] = [];
    let wake: (() => void) | undefined;
    const follower = (line: LogLine | undefined): void => {
      waiting.push(line);
      wake?.();
    };
    const stop = (): void => follower(undefined);
    const follow = request.follow === true && this.#descriptor !== undefined;
    // Before the file is read, so that no line falls between; what is in the file by then is left out of `waiting`.
    if (follow) this.#followers.add(follower);
    request.signal?.addEventListener("abort", stop, { once: true });
    try {
      const written = await this.#lines();
      waiting.length = 0;
      if (follow && this.#descriptor === undefined) waiting.push(undefined);
      let left = request.limitBytes ?? Number.POSITIVE_INFINITY;
      const show = (line: LogLine): string => {
        const text = showLogLine(line, request.timestamps === true);
        const bytes = Buffer.byteLength(text);
        const shown = bytes <= left ? text : Buffer.from(text).subarray(0, left).toString("utf8");
        left -= bytes;
        return shown;
      };
      for (const line of selectLogLines(written, request, this.#clock.now())) {
        if (left > 0) yield show(line);
      }
      while (follow && left > 0 && request.signal?.aborted !== true) {
        if (waiting.length === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const line = waiting.shift();
        if (line === undefined) return;
        yield show(line);
      }
    } finally {
      this.#followers.delete(follower);
      request.signal?.removeEventListener("abort", stop);
    }
  }

  async #lines(): Promise<LogLine[]> {
    const text = await readFile(this.file, "utf8");
    return text.split("\n").flatMap((row) => parseLogLine(row) ?? []);
  }

  #add(line: Omit<LogLine, "time">): void {
    if (this.#descriptor === undefined) return;
    const whole = { time: new Date(this.#clock.now()).toISOString(), ...line };
    // Synchronously, so that a line is in the file before anybody can follow from after it.
    writeSync(this.#descriptor, formatLogLine(whole));
    for (const follower of this.#followers) follower(whole);
  }
}
