// The lines of a container's log file: time, stream, whether the line is complete, and the text, as container runtimes
// write them (https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md).
import type { PodLogRequest } from "./pod-runtime.ts";

/** One line of output. */
export interface LogLine {
  /** RFC 3339 with milliseconds. */
  readonly time: string;
  readonly stream: "stdout" | "stderr";
  /** Without the line break. */
  readonly text: string;
  /** False when the process ended, or paused for long, in the middle of the line. */
  readonly complete: boolean;
}

/** The line as it stands in the file, with its line break. */
export function formatLogLine(line: LogLine): string {
  return `${line.time} ${line.stream} ${line.complete ? "F" : "P"} ${line.text}\n`;
}

/** The line in a row of the file; undefined for one that is not ours. */
export function parseLogLine(row: string): LogLine | undefined {
  const match = /^(\S+) (stdout|stderr) ([FP]) (.*)$/s.exec(row);
  if (match === null) return undefined;
  const [, time = "", stream, flag, text = ""] = match;
  return { time, stream: stream === "stderr" ? "stderr" : "stdout", text, complete: flag === "F" };
}

/** What a reader of the log sees of a line. */
export function showLogLine(line: LogLine, timestamps: boolean): string {
  return `${timestamps ? `${line.time} ` : ""}${line.text}${line.complete ? "\n" : ""}`;
}

/** The lines that a request asks for, of those that there are: recent ones, and of these the last `tailLines`. */
export function selectLogLines(
  lines: readonly LogLine[],
  request: Pick<PodLogRequest, "sinceSeconds" | "sinceTime" | "tailLines">,
  now: number,
): readonly LogLine[] {
  const { sinceSeconds, sinceTime, tailLines } = request;
  const since = sinceSeconds === undefined ? Date.parse(sinceTime ?? "") : now - sinceSeconds * 1000;
  const recent = Number.isNaN(since) ? lines : lines.filter((line) => Date.parse(line.time) >= since);
  if (tailLines === undefined) return recent;
  return tailLines <= 0 ? [] : recent.slice(-tailLines);
}

/** The lines as a request wants to see them, up to as many bytes as it takes. */
export async function* shownLines(
  lines: Iterable<LogLine> | AsyncIterable<LogLine>,
  { limitBytes, timestamps = false }: Pick<PodLogRequest, "limitBytes" | "timestamps">,
): AsyncIterable<string> {
  let left = limitBytes ?? Number.POSITIVE_INFINITY;
  for await (const line of lines) {
    if (left <= 0) return;
    const text = showLogLine(line, timestamps);
    const bytes = Buffer.byteLength(text);
    yield bytes <= left ? text : Buffer.from(text).subarray(0, left).toString("utf8");
    left -= bytes;
  }
}

/** Cuts a stream of bytes into lines; one per stream of a process. */
export class LineSplitter {
  #rest = "";
  #decoder = new TextDecoder();

  /** The complete lines in what has come so far. */
  push(chunk: Uint8Array): readonly string[] {
    const parts = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split("\n");
    this.#rest = parts.pop() ?? "";
    return parts;
  }

  /** What came after the last line break, if anything. */
  end(): string | undefined {
    const rest = this.#rest + this.#decoder.decode();
    this.#rest = "";
    return rest === "" ? undefined : rest;
  }
}
