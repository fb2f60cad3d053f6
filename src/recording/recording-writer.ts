// Keeps a recording while an operator runs. Nothing waits for it: runs are put into a bounded queue, and written between
// other work; what cannot be kept is counted, and the operator continues.
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { monotonicNow } from "../ports/clock.ts";
import { limitedSignal, untilAborted } from "../ports/deadline.ts";
import type { Logger } from "../ports/logger.ts";
import type { CounterSeries, Metrics } from "../ports/metrics.ts";
import { messageOf } from "../ports/operator-error.ts";
import { openRecordingFile, type RecordingFile, type RecordingFileOptions } from "./recording-file.ts";
import { formatLine, type RecordingLine, type RunLine } from "./recording-format.ts";
import type { RecordedRun, RunRecorder } from "./run-recorder.ts";
import { toRunLine, wordsOf } from "./to-run-line.ts";

/** Options of {@link openRecording}. */
export interface RecordingOptions extends RecordingFileOptions {
  readonly log: Logger;
}

/** A recording that is being written. */
export interface Recording extends RunRecorder {
  /** Writes what waits, and closes the file. Idempotent; never rejects. */
  close(): Promise<void>;
}

/** Runs that may wait to be written. */
export const mostWaiting = 1_000;
/** Resources whose children are not recorded again while they stay the same. */
const mostRemembered = 20_000;
/** Characters that are made into one write. */
const batchSize = 64 * 1024;
/** Milliseconds after a failed write until the next one is tried. */
const retryAfter = 30_000;
/** Milliseconds that what waits gets to be written at the end. */
const closeTimeout = 5_000;
/** Bytes: a run that takes more is dropped. */
const longestLine = 8 * 1024 * 1024;

/**
 * Opens the file, or goes on with the recording that it holds.
 *
 * **Guarantees** and **Errors**: those of {@link openRecordingFile}.
 */
export async function openRecording(options: RecordingOptions): Promise<Recording> {
  return new QueuedRecording(options, await openRecordingFile(options));
}

interface Waiting {
  readonly run: RecordedRun;
  readonly masker: () => (text: string) => string;
}

interface Counters {
  readonly kept: CounterSeries;
  readonly dropped: CounterSeries;
}

class QueuedRecording implements Recording {
  readonly #options: RecordingOptions;
  readonly #file: RecordingFile;
  readonly #words: ReadonlySet<string>;
  readonly #queue: (Waiting | RecordingLine)[] = [];
  /** A digest of the children last recorded for a resource, by uid. */
  #known = new Map<string, string>();
  #counters: Counters | undefined;
  /** Runs that were dropped and not yet reported. */
  #dropped = 0;
  /** Instant until which nothing is tried, while the file cannot be written. */
  /** Monotonic milliseconds. */
  #failedUntil: number | undefined;
  #writing: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: RecordingOptions, file: RecordingFile) {
    this.#options = options;
    this.#file = file;
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

  #mayTake(): boolean {
    if (this.#closed !== undefined || this.#queue.length >= mostWaiting) return false;
    return this.#failedUntil === undefined || monotonicNow(this.#options.clock) >= this.#failedUntil;
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
    // Not within the run that was just recorded.
    await setImmediate();
    while (this.#queue.length > 0) {
      const entries: (Waiting | RecordingLine)[] = [];
      let { text, runs } = this.#batchOf(this.#queue, entries);
      try {
        if (await this.#file.makeRoom(text)) {
          // Its reader may have nothing but this file, some day: what the one before has said is said again.
          this.#known = new Map();
          ({ text, runs } = this.#batchOf(entries));
        }
        await this.#file.append(text);
        // Reported with it.
        this.#dropped = 0;
        this.#counters?.kept.inc(runs);
        this.#recovered();
      } catch (error) {
        this.#known = new Map();
        this.#drop(runs + this.#queue.splice(0).filter((each) => "run" in each).length);
        this.#failed(error);
      }
      await setImmediate();
    }
  }

  /** Lines for one write: of entries that leave the queue with it, and are put into a list; or of the entries of such a list. */
  #batchOf(
    from: (Waiting | RecordingLine)[],
    taken?: (Waiting | RecordingLine)[],
  ): { readonly text: string; readonly runs: number } {
    const { about, clock } = this.#options;
    const most = taken === undefined ? Infinity : batchSize;
    let [text, runs] = ["", 0];
    while (text.length < most) {
      const entry = from.shift();
      if (entry === undefined) break;
      taken?.push(entry);
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
      const line = toRunLine(run, this.#options.about.session, masking);
      const { children: _children, ...rest } = line;
      return formatLine(this.#isKnown(line) ? rest : line);
    } catch (error) {
      this.#options.log.warn({ object: run.key, error: messageOf(error) }, "a run cannot be recorded");
      return undefined;
    }
  }

  /** Whether the children are those of the last line of the resource; from now on they are. */
  #isKnown({ uid, children }: RunLine): boolean {
    const digest = createHash("sha1").update(JSON.stringify(children)).digest("base64");
    const isKnown = this.#known.get(uid) === digest;
    // All of them again, rather than one of them never.
    if (this.#known.size >= mostRemembered) this.#known = new Map();
    this.#known.set(uid, digest);
    return isKnown;
  }

  #failed(error: unknown): void {
    const { log, file, clock } = this.#options;
    if (this.#failedUntil === undefined) {
      log.warn(
        { file, error: messageOf(error) },
        "the recording cannot be written; the operator continues without it",
      );
    }
    this.#failedUntil = monotonicNow(clock) + retryAfter;
  }

  #recovered(): void {
    if (this.#failedUntil === undefined) return;
    this.#failedUntil = undefined;
    this.#options.log.info({ file: this.#options.file }, "the recording continues");
  }

  async #close(): Promise<void> {
    const { about, clock, log, file } = this.#options;
    this.#queue.push({ type: "end", session: about.session, at: clock.now() });
    this.#writing ??= this.#drain();
    const writing = this.#writing;
    // A file system that does not answer must not keep the process.
    const { signal: late, release } = limitedSignal({ clock, timeout: closeTimeout, late: () => "late" });
    await untilAborted(writing, late).catch(() => undefined);
    release();
    if (late.aborted) {
      log.warn(
        { file, runs: this.#queue.length },
        "the recording does not take the remaining runs; it ends without them",
      );
      return;
    }
    try {
      await this.#file.close();
    } catch (error) {
      log.warn({ file, error: messageOf(error) }, "the recording was not closed properly");
    }
  }
}
