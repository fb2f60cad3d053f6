// The runs of one controller that are under way: how far each has come, and what cuts it off when it takes longer than it may
// or the process stops. One timer serves them all, and a run has signals only once somebody asks for them.
// Made by the workers of src/controller, handed through the pipeline; read for health and when the process stops.
import { monotonicNow, type Clock, type TimerHandle } from "../ports/clock.ts";
import { Ending, type Ends } from "../ports/deadline.ts";
import { OperatorError } from "../ports/operator-error.ts";
import type { SpanReference } from "../ports/tracing.ts";

/** A run as it is reported. */
export interface RunUnderWay {
  readonly key: string;
  readonly reconcileId: string;
  /** The stage of the pipeline; undefined before the first one. */
  readonly stage: string | undefined;
  /** Milliseconds so far. */
  readonly took: number;
}

/** One run of one key, from the worker that has taken it to its end. */
export class Run {
  readonly key: string;
  readonly id: string;
  /** When it began, in monotonic milliseconds. */
  readonly since: number;
  /** The stage of the pipeline that it is in; undefined before the first one. */
  stage: string | undefined = undefined;
  /** The span of its trace, when it is traced. */
  trace: SpanReference | undefined = undefined;
  readonly #time = new Ending();
  readonly #life = new Ending();
  #loseStage: ((reason: unknown) => void) | undefined;
  #loseRun: ((reason: unknown) => void) | undefined;
  #hasLeft = false;
  #left: (() => void) | undefined;
  #isChanged = false;
  #changed: (() => void) | undefined;

  constructor(key: string, id: string, since: number) {
    this.key = key;
    this.id = id;
    this.since = since;
  }

  /** Aborted when the run is over, takes too long, or the process stops. */
  get signal(): AbortSignal {
    return this.#time.signal;
  }

  /** What is over when the signal is aborted. */
  get time(): Ends {
    return this.#time;
  }

  /** Over as the run's time is, but not by its limit: what says that the run took too long goes by it. */
  get lifetime(): Ends {
    return this.#life;
  }

  /** Whether the signal is aborted. */
  get isCutOff(): boolean {
    return this.#time.over !== undefined;
  }

  /** Whether it is over, for its worker or because the process stops. */
  get isOver(): boolean {
    return this.#life.over !== undefined;
  }

  /** Throws `RECONCILE_TIMEOUT` or `RECONCILE_ABORTED` when the run was cut off. */
  throwIfCutOff(): void {
    const { over } = this.#time;
    if (over !== undefined) throw abortErrorOf(over.reason);
  }

  /**
   * What a hook comes to, as far as the run lasts: one that still works when the run is cut off is left behind, and what it
   * comes to is dropped.
   *
   * **Errors**: what the hook rejects with; those of {@link throwIfCutOff}.
   */
  within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#loseStage = (reason) => reject(abortErrorOf(reason));
      const { over } = this.#time;
      if (over !== undefined) this.#loseStage(over.reason);
      work.then(resolve, reject);
    });
  }

  /** What the run comes to, unless it goes on too long after it was cut off; a stop is waited for. */
  untilAbandoned<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#loseRun = reject;
      work.then(resolve, reject);
    });
  }

  /** Says that it waits for something that may take long: its worker may take another key meanwhile. */
  leaveWorker(): void {
    this.#hasLeft = true;
    this.#left?.();
  }

  /** Calls back when the run has left its worker. */
  whenLeft(left: () => void): void {
    this.#left = left;
    if (this.#hasLeft) left();
  }

  /** Says that its resource was changed: what the run waits for may be out of date. */
  tellChanged(): void {
    this.#isChanged = true;
    this.#changed?.();
  }

  /** Calls back when its resource is changed, at once where it was since the run began. */
  whenChanged(heard: () => void): void {
    this.#changed = heard;
    if (this.#isChanged) heard();
  }

  /** Aborts the signal: hooks should end, and are no longer waited for. */
  cutOff(reason: unknown): void {
    if (this.isCutOff) return;
    this.#loseStage?.(reason);
    this.#time.end(reason);
  }

  /** Aborts both signals. */
  end(reason: unknown): void {
    this.cutOff(reason);
    this.#life.end(reason);
  }

  /** Ends it, and lets its worker go. */
  abandon(reason: unknown): void {
    this.end(reason);
    this.#loseRun?.(reason);
  }
}

/** Options of {@link Runs}. */
export interface RunsOptions {
  readonly clock: Clock;
  /** Ends every run when it is aborted, those that begin later too. */
  readonly signal: AbortSignal;
  /** Milliseconds after which a run is cut off; default no limit. */
  readonly timeout?: number | undefined;
  /** Milliseconds that a run gets to end after that, before its worker lets go of it. Default for ever. */
  readonly grace?: number;
}

/** The runs of one controller: one key is never reconciled twice at once. */
export class Runs {
  /** By key, in the order in which they began: as all may take equally long, it is that in which they are due. */
  readonly #runs = new Map<string, Run>();
  readonly #options: RunsOptions;
  #timer: { readonly due: number; readonly handle: TimerHandle } | undefined;

  constructor(options: RunsOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", this.#stop, { once: true });
  }

  /** Begins the run of a key. */
  begin(key: string, id: string): Run {
    const { clock, signal, timeout } = this.#options;
    const run = new Run(key, id, monotonicNow(clock));
    this.#runs.set(key, run);
    if (signal.aborted) run.end(signal.reason);
    if (timeout !== undefined) this.#arm(run.since + timeout, run.since);
    return run;
  }

  /** Ends a run: what still listens to its signals hears it. */
  end(run: Run): void {
    this.#runs.delete(run.key);
    overError ??= createOverError();
    run.end(overError);
  }

  /** Whether a run of the key has begun and not ended. */
  isUnderWay(key: string): boolean {
    return this.#runs.has(key);
  }

  /** Tells the run of a key, if there is one, that its resource was changed. */
  tellChanged(key: string): void {
    this.#runs.get(key)?.tellChanged();
  }

  /** All runs, those that take longest first. */
  list(now: number): readonly RunUnderWay[] {
    return [...this.#runs.values()].map(({ key, id, stage, since }) => {
      return { key, reconcileId: id, stage, took: now - since };
    });
  }

  /** Lets go of timer and listener, once no run will begin any more. */
  release(): void {
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer.handle);
    this.#timer = undefined;
    this.#options.signal.removeEventListener("abort", this.#stop);
  }

  readonly #stop = (): void => {
    for (const run of this.#runs.values()) run.end(this.#options.signal.reason);
  };

  /** Keeps one timer, for the earliest instant, while runs are under way; one that finds none is the last. */
  #arm(due: number, now: number): void {
    if (this.#timer !== undefined && this.#timer.due <= due) return;
    const { clock } = this.#options;
    if (this.#timer !== undefined) clock.clearTimeout(this.#timer.handle);
    this.#timer = { due, handle: clock.setTimeout(() => this.#lookForLate(), due - now) };
  }

  #lookForLate(): void {
    const { clock, timeout = Infinity, grace = Infinity } = this.#options;
    const now = monotonicNow(clock);
    this.#timer = undefined;
    let next = Infinity;
    for (const run of this.#runs.values()) {
      const { key, stage, since } = run;
      const [late, abandoned] = [since + timeout, since + timeout + grace];
      if (late <= now) run.cutOff(timeoutError({ timeout, stage }));
      if (abandoned <= now) run.abandon(timeoutError({ timeout: timeout + grace, stage, key }));
      next = Math.min(next, late > now ? late : abandoned > now ? abandoned : Infinity);
      if (late > now) break;
    }
    if (next < Infinity) this.#arm(next, now);
  }
}

/** Every run ends with it, and hardly any hook ever sees it: made once, as the stack trace is what costs. */
let overError: OperatorError | undefined;

function createOverError(): OperatorError {
  return new OperatorError("RECONCILE_ABORTED", "the reconcile is over", {
    remedy: "Await in the hook whatever it does, or move long work into a task of the application.",
  });
}

/** The error of a run that was cut off: the reason when it is ours. */
function abortErrorOf(reason: unknown): OperatorError {
  if (reason instanceof OperatorError) return reason;
  return new OperatorError("RECONCILE_ABORTED", "the reconcile was aborted", {
    cause: reason,
    remedy: "Nothing: it is repeated by the process that continues.",
  });
}

/** What is known of a reconcile that took longer than it may. */
interface Timeout {
  /** Milliseconds. */
  readonly timeout: number;
  /** The stage it was in. */
  readonly stage: string | undefined;
  /** Its key, where it is not reported otherwise. */
  readonly key?: string;
}

function timeoutError({ timeout, stage, key }: Timeout): OperatorError {
  const what = key === undefined ? "the reconcile" : `the reconcile of ${key}`;
  const where = stage === undefined ? "" : ` in ${stage}`;
  return new OperatorError(
    "RECONCILE_TIMEOUT",
    `${what} timed out${where}: it took longer than ${timeout / 1_000} s`,
    {
      fields: {
        timeout,
        ...(stage === undefined ? {} : { stage }),
        ...(key === undefined ? {} : { key }),
      },
      remedy:
        "Pass the hook's signal to what it awaits, move long work into a task, or raise the controller's timeout.",
    },
  );
}
