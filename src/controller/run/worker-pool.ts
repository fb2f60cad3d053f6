// Takes keys from a queue and reconciles them, several at a time but one key never twice at once.
// What a reconcile's result means for the queue is decided here, in one switch.
import { isServerTrouble } from "../../client/api-error.ts";
import { messageOf } from "../../ports/operator-error.ts";
import { timeoutError } from "../../reconcile/run-deadline.ts";
import { giveUpRecheck } from "../../reconcile/pipeline.ts";
import { longestOutage } from "../../reconcile/outcome/throttle.ts";
import { toError } from "../../reconcile/outcome/failure-meaning.ts";
import type { ReconcileResult } from "../../reconcile/outcome/reconcile-result.ts";
import { backoffDelay, type Backoff } from "../../ports/backoff.ts";
import { monotonicNow, type Clock } from "../../ports/clock.ts";
import { limitedSignal, untilAborted } from "../../ports/deadline.ts";
import type { LogFields, Logger } from "../../ports/logger.ts";
import type { Cause } from "../../queue/cause.ts";
import type { WorkItem, WorkQueue } from "../../queue/work-queue.ts";
import type { HotLoopGuard } from "../detectors/hot-loop-guard.ts";
import { runFields } from "./run-log.ts";
import type { RecentFailures, RunsUnderWay } from "./runs.ts";
import type { ReconcileMetrics } from "./reconcile-metrics.ts";

/** Reconciles one key; must not hold its worker after the signal is aborted. `id` names the run in logs. */
export type ReconcileFunction = (item: WorkItem, signal: AbortSignal, id: string) => Promise<ReconcileResult>;

/** What stands before the runs; see hot-loop-guard.ts. */
export type WorkerGate = Pick<HotLoopGuard, "admit" | "scheduled" | "lookAgainAfter">;

/** Options of {@link startWorkers}. */
export interface WorkerPoolOptions {
  readonly queue: WorkQueue;
  readonly workers: number;
  readonly reconcile: ReconcileFunction;
  /** Milliseconds after which a reconcile's signal is aborted and its key is freed. */
  readonly timeout: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Default not measured. */
  readonly metrics?: ReconcileMetrics;
  /** Decides whether a key that was taken may run now; default every key may. */
  readonly gate?: WorkerGate;
  /** Called with each run that begins and ends; default nobody. */
  readonly runs?: RunsUnderWay;
  /** Called with each run that failed or gave up for a reason; default nobody. */
  readonly failures?: RecentFailures;
  /** An id for each run, never the same twice; default a number. */
  readonly newId?: () => string;
  /** Aborts every reconcile under way. */
  readonly signal: AbortSignal;
}

/** Starts the workers; resolves when the queue is shut down and the last of them has ended. */
export async function startWorkers(options: WorkerPoolOptions): Promise<void> {
  let runs = 0;
  const newId = options.newId ?? (() => String((runs += 1)));
  const aside = new Set<Promise<void>>();
  const delays = new AskedDelays();
  const turns = new Turns(options.clock);
  const complete = { ...options, newId, aside, delays, turns };
  await Promise.all(Array.from({ length: options.workers }, () => work(complete)));
  await Promise.all(aside);
}

/** The options with what is left out made up for. */
interface CompleteOptions extends WorkerPoolOptions {
  readonly newId: () => string;
  /** The runs that go on without a worker. */
  readonly aside: Set<Promise<void>>;
  readonly delays: AskedDelays;
  readonly turns: Turns;
}

/** Runs that may wait without a worker, for each worker: what hangs for all objects must not be called for all at once. */
const asidePerWorker = 16;

async function work(options: CompleteOptions): Promise<void> {
  const { queue, runs, aside, workers, turns } = options;
  for (;;) {
    await turns.next();
    const item = await queue.take(options.signal);
    if (item === undefined) return;
    if (!isAdmitted(options, item)) {
      queue.done(item.key);
      continue;
    }
    const run = runKey(options, item);
    const left = runs?.whenLeft(item.key).then(() => {
      if (aside.size >= workers * asidePerWorker) return run;
      const alone = run.finally(() => aside.delete(alone));
      aside.add(alone);
      return undefined;
    });
    await (left === undefined ? run : Promise.race([run, left]));
  }
}

/** One run of a key, which stays in the queue's hands until it has ended: nobody else is given it. */
async function runKey(options: CompleteOptions, item: WorkItem): Promise<void> {
  const { queue, metrics, clock } = options;
  const id = options.newId();
  const started = monotonicNow(clock);
  metrics?.started();
  options.runs?.begin(item.key, id, started);
  try {
    const result = await reconcileInTime(options, item, id);
    const elapsed = monotonicNow(clock) - started;
    metrics?.ended(result, elapsed);
    requeue(options, item, result, { ...runFields(item, id), elapsed: Math.round(elapsed) });
    lookAgain(options, item.key);
  } finally {
    options.runs?.end(item.key);
    queue.done(item.key);
  }
}

/** Whether the key runs now; one that does not comes again for every cause it has. */
function isAdmitted({ queue, gate }: WorkerPoolOptions, item: WorkItem): boolean {
  const decision = gate?.admit(item) ?? { kind: "run" };
  if (decision.kind === "run") return true;
  const after = decision.kind === "wait" ? decision.after : decision.again;
  if (after === undefined) return false;
  for (const cause of item.causes) {
    // What is skipped was caused by our own writes: they are no reason of the run that follows.
    if (decision.kind === "skip" && isOfChange(cause)) continue;
    queue.addAfter(item.key, after, { cause });
  }
  return false;
}

function isOfChange({ reason }: Cause): boolean {
  return reason === "added" || reason === "modified" || reason === "deleted";
}

/** A key in a loop is reconciled once more when the loop should have ended. */
function lookAgain({ queue, gate }: WorkerPoolOptions, key: string): void {
  const after = gate?.lookAgainAfter(key);
  if (after !== undefined)
    queue.addAfter(key, after, { cause: { reason: "resync", detail: "reconcile loop" } });
}

/** Never rejects; a reconcile that neither ends nor obeys its signal is abandoned, so that its key is free again. */
async function reconcileInTime(
  options: WorkerPoolOptions,
  item: WorkItem,
  id: string,
): Promise<ReconcileResult> {
  const { clock, timeout } = options;
  const time = limitedSignal({
    clock,
    timeout,
    late: () => timeoutError({ timeout, stage: options.runs?.stageOf(item.key), key: item.key }),
  });
  // A stop is passed on to the run, which is waited for all the same: it ends in order.
  const run = limitedSignal({ clock, signals: [options.signal, time.signal] });
  try {
    return await untilAborted(options.reconcile(item, run.signal, id), time.signal);
  } catch (error) {
    if (error !== time.signal.reason) options.metrics?.threw();
    return { kind: "failed", error: toError(error) };
  } finally {
    time.release();
    run.release();
  }
}

function requeue(options: CompleteOptions, item: WorkItem, result: ReconcileResult, run: LogFields): void {
  const { queue, gate, log, failures, clock } = options;
  const { key } = item;
  const asked = options.delays.of(key, result.requeueAfter);
  switch (result.kind) {
    case "settled":
    case "waiting":
      queue.forget(key);
      if (asked !== undefined) {
        gate?.scheduled(key, asked);
        queue.addAfter(key, asked, { cause: { reason: "requeueAfter" } });
      }
      break;
    case "gaveUp": {
      const { error, requeueAfter = giveUpRecheck } = result;
      queue.forget(key);
      gate?.scheduled(key, requeueAfter);
      queue.addAfter(key, requeueAfter, { cause: { reason: "resync" } });
      if (error !== undefined) failures?.note({ at: clock.now(), key, message: error.message });
      log.warn({ ...run, reason: error?.message, requeueAfter }, "gave up");
      break;
    }
    case "failed": {
      if (options.signal.aborted) break;
      const message = messageOf(result.error);
      failures?.note({ at: clock.now(), key, message });
      const cause = { reason: "retry", detail: message } as const;
      let delay = asked;
      const longest = isServerTrouble(result.error) ? { longest: longestOutage } : {};
      if (delay === undefined) delay = queue.addRateLimited(key, { cause, ...longest });
      else queue.addAfter(key, delay, { cause });
      gate?.scheduled(key, delay);
      log.error({ ...run, error: message, requeueAfter: delay }, "reconcile failed");
      break;
    }
  }
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

  /** Resolves at once while the present turn lasts, else after everybody else has had one. */
  async next(): Promise<void> {
    if (monotonicNow(this.#clock) - this.#since < longestTurn) return;
    this.#others ??= this.#pass();
    await this.#others;
  }

  async #pass(): Promise<void> {
    await this.#clock.yield?.();
    this.#others = undefined;
    this.#since = monotonicNow(this.#clock);
  }
}
