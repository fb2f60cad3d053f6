// Keeps a recording in a file while an operator runs. Nothing waits for it: runs are put into a bounded queue, and written
// between other work; what cannot be kept is counted, and the operator goes on.
import { constants, type Stats } from "node:fs";
import { open, rename, stat, type FileHandle } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { sleep, type Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { CounterSeries, Metrics } from "../ports/metrics.ts";
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import {
  formatLine,
  formatOf,
  formatVersion,
  type HeaderLine,
  type RecordingLine,
} from "./recording-format.ts";
import type { RecordedRun, RunRecorder } from "./run-recorder.ts";
import { toRunLine, wordsOf } from "./to-run-line.ts";

/** Options of {@link openRecording}. */
export interface RecordingOptions {
  readonly file: string;
  /** What the first line says, but for what is known here. */
  readonly about: Pick<HeaderLine, "session" | "package" | "operator" | "pid" | "kinds">;
  /** Bytes that the file and its predecessor may take together. */
  readonly limit: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A recording that is being written. */
export interface Recording extends RunRecorder {
  /** Writes what waits, and closes the file. Idempotent; never rejects. */
  close(): Promise<void>;
}

/** The smallest limit. */
export const smallestLimit = 1024 * 1024;
/** Runs that may wait to be written. */
export const mostWaiting = 1_000;
/** Characters that are made into one write. */
const batchSize = 64 * 1024;
/** Milliseconds after a failed write until the next one is tried. */
const retryAfter = 30_000;
/** Milliseconds that what waits gets to be written at the end. */
const closeTimeout = 5_000;
/** Bytes: a run that takes more is dropped. */
const longestLine = 8 * 1024 * 1024;

/** The file to which a full recording is moved. */
export function predecessorOf(file: string): string {
  return `${file}.1`;
}

/**
 * Opens the file, or goes on with the recording that it holds.
 *
 * **Guarantees**: nothing is ever overwritten but a predecessor that is a recording itself; the file is readable by its
 * owner only; a line that a killed process has cut stays a line of its own.
 * **Errors**: `RECORDING_UNUSABLE` when the file is something else, or cannot be written.
 */
export async function openRecording(options: RecordingOptions): Promise<Recording> {
  try {
    await refuseOther(predecessorOf(options.file));
    await refuseOther(options.file);
    const recording = new FileRecording(options);
    await recording.open(false);
    return recording;
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError("RECORDING_UNUSABLE", `${options.file} cannot be written: ${messageOf(error)}`, {
      cause: error,
      remedy: "Name a file in a folder that this process may write to.",
    });
  }
}

/** Refuses what is there and is no recording that this version may go on with. */
async function refuseOther(file: string): Promise<void> {
  const info = await statOf(file);
  if (info === undefined) return;
  const refuse = (what: string): never => {
    throw new OperatorError("RECORDING_UNUSABLE", `${file} ${what}`, {
      remedy: "Name another file, or move this one away: nothing is overwritten.",
    });
  };
  if (!info.isFile()) refuse("is no regular file");
  if (info.size === 0) return;
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(128), 0, 128, 0);
    const format = formatOf(buffer.toString("utf8", 0, bytesRead));
    if (format === undefined) refuse("exists and is no recording");
    if ((format ?? 0) > formatVersion) refuse(`is a recording of a newer version (format ${format})`);
  } finally {
    await handle.close();
  }
}

async function statOf(file: string): Promise<Stats | undefined> {
  try {
    return await stat(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

interface Waiting {
  readonly run: RecordedRun;
  readonly masker: () => (text: string) => string;
}

interface Counters {
  readonly kept: CounterSeries;
  readonly dropped: CounterSeries;
}

class FileRecording implements Recording {
  readonly #options: RecordingOptions;
  readonly #words: ReadonlySet<string>;
  readonly #queue: (Waiting | RecordingLine)[] = [];
  #handle: FileHandle | undefined;
  #size = 0;
  /** Bytes of the file's own beginning: a file is not full with it alone. */
  #headerSize = 0;
  #counters: Counters | undefined;
  /** Runs that were dropped and not yet told of. */
  #dropped = 0;
  /** Instant until which nothing is tried, while the file cannot be written. */
  #failedUntil: number | undefined;
  /** The file may end within a line. */
  #isTorn = false;
  #writing: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: RecordingOptions) {
    this.#options = options;
    const graphs = options.about.kinds.flatMap(({ graph }) => (graph === undefined ? [] : [graph]));
    this.#words = new Set(graphs.flatMap((graph) => [...wordsOf(graph)]));
  }

  record(run: RecordedRun, masker: () => (text: string) => string): void {
    if (!this.#mayTake()) this.#drop(1);
    else this.#add({ run, masker });
  }

  gone(kind: string, key: string, at: number): void {
    if (this.#mayTake()) this.#add({ type: "gone", session: this.#options.about.session, kind, key, at });
  }

  measure(metrics: Metrics): void {
    const runs = metrics.counter({
      name: "xstate_operator_recorded_runs_total",
      help: "Reconciles that are kept in the recording, and those that could not be.",
      labels: ["result"],
    });
    this.#counters = { kept: runs.with({ result: "kept" }), dropped: runs.with({ result: "dropped" }) };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** Opens the file and begins it with a header, or goes on with one of an earlier process. */
  async open(continued: boolean): Promise<void> {
    const { file, about, clock } = this.#options;
    const former = await statOf(file);
    // Processes that end soon after their start fill it too.
    if (former !== undefined && former.size > this.#options.limit / 2)
      await rename(file, predecessorOf(file));
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NONBLOCK;
    const handle = await open(file, flags, 0o600);
    try {
      const info = await handle.stat();
      if ((info.mode & 0o077) !== 0) await handle.chmod(0o600);
      this.#size = info.size;
      this.#isTorn =
        info.size > 0 && (await handle.read(Buffer.alloc(1), 0, 1, info.size - 1)).buffer[0] !== 10;
      this.#handle = handle;
      const header = formatLine({
        type: "header",
        recording: "xstate-operator",
        format: formatVersion,
        ...about,
        startedAt: clock.now(),
        ...(continued ? { continued } : {}),
      });
      await this.#append(header);
      this.#headerSize = info.size === 0 ? this.#size : 0;
    } catch (error) {
      this.#handle = undefined;
      await handle.close();
      throw error;
    }
  }

  #mayTake(): boolean {
    if (this.#closed !== undefined || this.#queue.length >= mostWaiting) return false;
    return this.#failedUntil === undefined || this.#options.clock.now() >= this.#failedUntil;
  }

  #add(entry: Waiting | RecordingLine): void {
    this.#queue.push(entry);
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = undefined;
    });
  }

  #drop(runs: number): void {
    if (runs === 0) return;
    this.#dropped += runs;
    this.#counters?.dropped.inc(runs);
  }

  async #drain(): Promise<void> {
    // Not within the run that was just told of.
    await setImmediate();
    while (this.#queue.length > 0) {
      const { text, runs } = this.#nextBatch();
      try {
        await this.#write(text);
        this.#counters?.kept.inc(runs);
        this.#recovered();
      } catch (error) {
        this.#drop(runs + this.#queue.splice(0).filter((each) => "run" in each).length);
        this.#failed(error);
      }
      await setImmediate();
    }
  }

  /** Lines for one write; each run leaves the queue with it. */
  #nextBatch(): { readonly text: string; readonly runs: number } {
    const { about, clock } = this.#options;
    let [text, runs] = ["", 0];
    while (text.length < batchSize) {
      const entry = this.#queue.shift();
      if (entry === undefined) break;
      const line = "run" in entry ? this.#lineOf(entry) : formatLine(entry);
      if (line === undefined || line.length > longestLine) {
        this.#drop(1);
        continue;
      }
      text += line;
      if ("run" in entry) runs += 1;
    }
    if (this.#dropped > 0) {
      text += formatLine({ type: "dropped", session: about.session, at: clock.now(), runs: this.#dropped });
    }
    return { text, runs };
  }

  #lineOf({ run, masker }: Waiting): string | undefined {
    try {
      const masking = { mask: masker(), isPublic: (text: string) => this.#words.has(text) };
      return formatLine(toRunLine(run, this.#options.about.session, masking));
    } catch (error) {
      this.#options.log.warn({ object: run.key, error: messageOf(error) }, "a run cannot be recorded");
      return undefined;
    }
  }

  async #write(text: string): Promise<void> {
    if (this.#handle === undefined) await this.open(true);
    const isFull = this.#size + Buffer.byteLength(text) > this.#options.limit / 2;
    if (isFull && this.#size > this.#headerSize) await this.#rotate();
    await this.#append(text);
    // Told of with it.
    this.#dropped = 0;
  }

  /** Moves the full file away and begins a new one. */
  async #rotate(): Promise<void> {
    const { file } = this.#options;
    const full = this.#handle;
    const [info, there] = await Promise.all([full?.stat(), statOf(file)]);
    await refuseOther(predecessorOf(file));
    // Somebody else may have moved it away.
    if (there !== undefined && there.ino === info?.ino) await rename(file, predecessorOf(file));
    try {
      await this.open(true);
    } finally {
      await full?.datasync();
      await full?.close();
    }
  }

  async #append(text: string): Promise<void> {
    const handle = this.#handle;
    if (handle === undefined) throw new Error("the file is not open");
    const bytes = Buffer.from(this.#isTorn ? `\n${text}` : text);
    let written = 0;
    try {
      while (written < bytes.length) {
        const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, null);
        written += bytesWritten;
      }
      this.#isTorn = false;
    } catch (error) {
      this.#isTorn ||= written > 0;
      throw error;
    } finally {
      this.#size += written;
    }
  }

  #failed(error: unknown): void {
    const { log, file, clock } = this.#options;
    if (this.#failedUntil === undefined) {
      log.warn(
        { file, error: messageOf(error) },
        "the recording cannot be written; the operator goes on without it",
      );
    }
    this.#failedUntil = clock.now() + retryAfter;
  }

  #recovered(): void {
    if (this.#failedUntil === undefined) return;
    this.#failedUntil = undefined;
    this.#options.log.info({ file: this.#options.file }, "the recording goes on");
  }

  async #close(): Promise<void> {
    const { about, clock, log, file } = this.#options;
    this.#queue.push({ type: "end", session: about.session, at: clock.now() });
    this.#writing ??= this.#drain();
    const late = new AbortController();
    const written = this.#writing.then(() => late.abort());
    // A file system that does not answer must not keep the process.
    await Promise.race([written, sleep(clock, closeTimeout, late.signal)]);
    if (!late.signal.aborted) {
      log.warn(
        { file, runs: this.#queue.length },
        "the recording does not take what waits; it ends without it",
      );
      return;
    }
    try {
      await this.#handle?.datasync();
      await this.#handle?.close();
    } catch (error) {
      log.warn({ file, error: messageOf(error) }, "the recording was not closed well");
    }
    this.#handle = undefined;
  }
}
