// Takes keys from a queue and reconciles them, several at a time but one key never twice at once.
// What a reconcile's result means for the queue is decided here, in one switch.
import { isServerTrouble } from "../../client/api-error.ts";
import { isOperatorError, messageOf } from "../../ports/operator-error.ts";
import { giveUpRecheck } from "../../reconcile/pipeline.ts";
import { longestOutage } from "../../reconcile/outcome/throttle.ts";
import { toError } from "../../reconcile/outcome/failure-meaning.ts";
import type { ReconcileResult } from "../../reconcile/outcome/reconcile-result.ts";
import type { Run, Runs } from "../../reconcile/runs.ts";
import { backoffDelay, type Backoff } from "../../ports/backoff.ts";
import { monotonicNow, type Clock } from "../../ports/clock.ts";
import type { LogFields, Logger } from "../../ports/logger.ts";
import { traceFields } from "../../ports/tracing.ts";
import type { Cause } from "../../queue/cause.ts";
import type { WorkItem, WorkQueue } from "../../queue/work-queue.ts";
import { changePriority, lowestPriority, unfinishedPriority } from "../changes/start-priority.ts";
import type { HotLoopGuard } from "../detectors/hot-loop-guard.ts";
import { errorFields } from "../../ports/author-code.ts";
import { runFields } from "./run-log.ts";
import type { RecentFailures } from "./recent-failures.ts";
import type { ReconcileMetrics } from "./reconcile-metrics.ts";

/** Reconciles one key; must not hold its worker after the run was cut off. */
export type ReconcileFunction = (item: WorkItem, run: Run) => Promise<ReconcileResult>;

/** What stands before the runs; see hot-loop-guard.ts. */
export type WorkerGate = Pick<HotLoopGuard, "admit" | "scheduled" | "lookAgainAfter">;

/** Options of {@link startWorkers}. */
export interface WorkerPoolOptions {
  readonly queue: WorkQueue;
  readonly workers: number;
  readonly reconcile: ReconcileFunction;
  /** Where each run is while it goes on, and what cuts it off. */
  readonly runs: Runs;
  readonly clock: Clock;
  readonly log: Logger;
  /** Default not measured. */
  readonly metrics?: ReconcileMetrics;
  /** Decides whether a key that was taken may run now; default every key may. */
  readonly gate?: WorkerGate;
  /** Called with the key of each run that has ended, before another one of it can begin; default nobody. */
  readonly onEnded?: (key: string) => void;
  /** Called with each run that failed or gave up for a reason; default nobody. */
  readonly failures?: RecentFailures;
  /** What the id of each run begins with; a number follows. Default nothing. */
  readonly idPrefix?: string;
  /** Aborted when no further key is to be taken. */
  readonly signal: AbortSignal;
}

/** Starts the workers; resolves when the queue is shut down and the last of them has ended. */
export async function startWorkers(options: WorkerPoolOptions): Promise<void> {
  const pool = new WorkerPool(options);
  await Promise.all(Array.from({ length: options.workers }, () => pool.work()));
  await pool.ended();
}

/** Runs that may wait without a worker, for each worker: what hangs for all objects must not be called for all at once. */
const asidePerWorker = 16;

class WorkerPool {
  readonly #options: WorkerPoolOptions;
  /** The runs that go on without a worker. */
  readonly #aside = new Set<Promise<void>>();
  readonly #delays = new AskedDelays();
  readonly #turns: Turns;
  #count = 0;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#turns = new Turns(options.clock);
  }

  /** One worker. */
  async work(): Promise<void> {
    const { queue, signal } = this.#options;
    for (;;) {
      if (this.#turns.isOver) await this.#turns.pass();
      const item = await queue.take(signal);
      if (item === undefined) return;
      if (this.#isAdmitted(item)) await this.#untilFree(item);
      else queue.done(item.key);
    }
  }

  /** Resolves when no run goes on without a worker any more. */
  async ended(): Promise<void> {
    await Promise.all(this.#aside);
    this.#options.runs.release();
  }

  /** Whether the key runs now; one that does not comes again for every cause it has. */
  #isAdmitted(item: WorkItem): boolean {
    const { queue, gate } = this.#options;
    const decision = gate?.admit(item) ?? { kind: "run" };
    if (decision.kind === "run") return true;
    const after = decision.kind === "wait" ? decision.after : decision.again;
    if (after === undefined) return false;
    for (const cause of item.causes) {
      // What is skipped was caused by our own writes: they are no reason of the run that follows.
      if (decision.kind === "skip" && isOfChange(cause)) continue;
      queue.addAfter(item.key, after, {
        cause,
        priority: isOfTimer(cause) ? lowestPriority : changePriority,
      });
    }
    return false;
  }

  /** Begins the run of a key; resolves when its worker may take another one: the run has ended, or waits without a worker. */
  #untilFree(item: WorkItem): Promise<void> {
    const { runs, workers, idPrefix = "" } = this.#options;
    this.#count += 1;
    const run = runs.begin(item.key, `${idPrefix}${this.#count}`);
    const ended = this.#run(item, run);
    return new Promise((free, fail) => {
      run.whenLeft(() => {
        if (this.#aside.size >= workers * asidePerWorker) return;
        this.#aside.add(ended);
        free();
      });
      ended.then(() => {
        this.#aside.delete(ended);
        return free();
      }, fail);
    });
  }

  /** One run of a key, which stays in the queue's hands until it has ended: nobody else is given it. */
  async #run(item: WorkItem, run: Run): Promise<void> {
    const { queue, metrics, gate, clock, runs, reconcile } = this.#options;
    metrics?.started();
    let result: ReconcileResult;
    try {
      try {
        result = await run.untilAbandoned(reconcile(item, run));
      } catch (error) {
        // One that neither ends nor obeys its signal is abandoned, so that its key is free again.
        if (!isOperatorError(error, "RECONCILE_TIMEOUT")) metrics?.threw();
        result = { kind: "failed", error: toError(error) };
      }
      const elapsed = monotonicNow(clock) - run.since;
      metrics?.ended(result, elapsed);
      this.#requeue(item, run, result, elapsed);
      // A key in a loop is reconciled once more when the loop should have ended.
      const after = gate?.lookAgainAfter(item.key);
      if (after !== undefined)
        queue.addAfter(item.key, after, {
          cause: { reason: "resync", detail: "reconcile loop" },
          priority: lowestPriority,
        });
    } finally {
      runs.end(run);
      this.#options.onEnded?.(item.key);
      queue.done(item.key);
    }
  }

  #requeue(item: WorkItem, run: Run, result: ReconcileResult, elapsed: number): void {
    const { queue, gate, log, failures, clock } = this.#options;
    const { key } = item;
    const asked = this.#delays.of(key, result.requeueAfter);
    if (this.#delays.hasJustLostPatience(key)) {
      const remedy =
        "Ask for a delay, or not at all: a change of the resource and of what it owns causes a run by itself.";
      log.warn(
        { ...runFields(item, run.id), times: patience, remedy },
        "a reconcile asks to run again at once, again and again; it is slowed down",
      );
    }
    switch (result.kind) {
      case "settled":
      case "waiting":
        queue.forget(key);
        if (asked !== undefined) {
          gate?.scheduled(key, asked);
          const priority = returnPriority(result, asked);
          queue.addAfter(key, asked, { cause: { reason: "requeueAfter" }, priority });
        }
        break;
      case "gaveUp": {
        const { error, requeueAfter = giveUpRecheck } = result;
        queue.forget(key);
        gate?.scheduled(key, requeueAfter);
        queue.addAfter(key, requeueAfter, { cause: { reason: "resync" }, priority: lowestPriority });
        if (error !== undefined) failures?.note({ at: clock.now(), key, message: error.message });
        const fields = { ...runFields(item, run.id), elapsed: Math.round(elapsed), requeueAfter };
        if (error === undefined) log.info(fields, "gave up");
        else log.warn({ ...fields, ...failureFields(result, run), reason: error.message }, "gave up");
        break;
      }
      case "failed": {
        if (this.#options.signal.aborted) break;
        const message = messageOf(result.error);
        failures?.note({ at: clock.now(), key, message });
        const cause = { reason: "retry", detail: message } as const;
        let delay = asked;
        const longest = isServerTrouble(result.error) ? { longest: longestOutage } : {};
        const priority = unfinishedPriority;
        if (delay === undefined) delay = queue.addRateLimited(key, { cause, priority, ...longest });
        else queue.addAfter(key, delay, { cause, priority });
        gate?.scheduled(key, delay);
        const fields = { ...runFields(item, run.id), elapsed: Math.round(elapsed) };
        const failure = { error: message, ...failureFields(result, run), requeueAfter: Math.ceil(delay) };
        log.error({ ...fields, ...failure }, "reconcile failed");
        break;
      }
    }
  }
}

/** Where a run has failed: in which stage of the pipeline, and in which line of the author's code. */
function failureFields({ error, failedIn }: ReconcileResult, { stage, trace }: Run): LogFields {
  return {
    stage: failedIn ?? stage,
    ...(error === undefined ? {} : errorFields(error)),
    ...(trace === undefined ? {} : traceFields(trace)),
  };
}

function isOfChange({ reason }: Cause): boolean {
  return reason === "added" || reason === "modified" || reason === "deleted";
}

function isOfTimer({ reason }: Cause): boolean {
  return reason === "requeueAfter" || reason === "retry" || reason === "resync";
}

/**
 * How soon a key is taken that comes back by a timer: behind whatever has happened by then, and what is not done before what
 * only has to be looked at. A next step at once is part of what is going on.
 */
function returnPriority({ kind, pending }: ReconcileResult, delay: number): number {
  if (delay < atOnce) return changePriority;
  return kind === "settled" && pending !== true ? lowestPriority : unfinishedPriority;
}

// Delays that runs ask for themselves. Looking again at once is for a next step; a key that asks for it again and again
// would never let go of a worker, so it is made to wait, ever longer.

/** Milliseconds; what is shorter counts as at once. */
const atOnce = 10;
/** What a key is made to wait that has no more patience to use up. */
const slowDown: Backoff = { first: atOnce, longest: 1_000 };
/** Times in a row that a key may ask for it. */
const patience = 20;

/** How often in a row keys have asked for a requeue at once. */
class AskedDelays {
  readonly #times = new Map<string, number>();

  /** Whether the key is made to wait from now on; once in a row. */
  hasJustLostPatience(key: string): boolean {
    return this.#times.get(key) === patience + 1;
  }

  /** The delay of a key that has asked for this one; `undefined`: it asked for none. */
  of(key: string, asked: number | undefined): number | undefined {
    if (asked === undefined || asked >= atOnce) {
      this.#times.delete(key);
      return asked;
    }
    const times = (this.#times.get(key) ?? 0) + 1;
    this.#times.set(key, times);
    return times <= patience ? asked : backoffDelay(slowDown, times - patience);
  }
}

// Turns of the event loop: runs that wait for nothing but promises would keep every timer, socket and signal waiting until
// the last of them has ended; the lease would not be renewed, and nobody could stop the process.

/** Milliseconds that runs may take before others have their turn. */
const longestTurn = 10;

/** The turns of the workers of one pool, who all wait for the same one. */
class Turns {
  readonly #clock: Clock;
  #since: number;
  #others: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = monotonicNow(clock);
  }

  /** Whether the present turn has lasted long enough. */
  get isOver(): boolean {
    return monotonicNow(this.#clock) - this.#since >= longestTurn;
  }

  /** Resolves after everybody else has had a turn. */
  pass(): Promise<void> {
    this.#others ??= (async () => {
      await this.#clock.yield?.();
      this.#others = undefined;
      this.#since = monotonicNow(this.#clock);
    })();
    return this.#others;
  }
}
