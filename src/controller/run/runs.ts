// Which reconciles of a controller are under way and how far they are, and how many failed within the last minutes: what is
// said when one takes too long, when the process stops, and when its health is asked for.
// Fed by the workers (begin, end, failures) and by the reconciler (the stage).
import type { ReconcileFailure } from "../../ports/operator-health.ts";

/** A reconcile that has begun and not ended. */
export interface RunUnderWay {
  readonly key: string;
  readonly reconcileId: string;
  /** The stage of the pipeline; undefined before the first one. */
  readonly stage: string | undefined;
  /** Milliseconds so far. */
  readonly took: number;
}

interface Run {
  readonly reconcileId: string;
  readonly left: Promise<void>;
  readonly leave: () => void;
  readonly since: number;
  stage: string | undefined;
}

/** The reconciles of one controller that are under way, by key: one key is never reconciled twice at once. */
export class RunsUnderWay {
  readonly #runs = new Map<string, Run>();

  /** Notes that a worker has begun; `now` is monotonic. */
  begin(key: string, reconcileId: string, now: number): void {
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    this.#runs.set(key, { reconcileId, since: now, stage: undefined, left, leave });
  }

  /** Notes that a run waits for something that may take long: its worker may take another key meanwhile. */
  leaveWorker(key: string, reconcileId: string): void {
    const run = this.#runs.get(key);
    if (run?.reconcileId === reconcileId) run.leave();
  }

  /** Resolves when the key's run says so; never for a key that is not under way. */
  whenLeft(key: string): Promise<void> {
    return this.#runs.get(key)?.left ?? new Promise<void>(() => undefined);
  }

  /** Notes the stage that a run has entered; what a run says that was left behind is dropped. */
  enter(key: string, reconcileId: string, stage: string): void {
    const run = this.#runs.get(key);
    if (run?.reconcileId === reconcileId) run.stage = stage;
  }

  /** Notes that a worker is done with a key. */
  end(key: string): void {
    this.#runs.delete(key);
  }

  /** The stage that a key's run is in. */
  stageOf(key: string): string | undefined {
    return this.#runs.get(key)?.stage;
  }

  /** All runs, those that take longest first. */
  list(now: number): readonly RunUnderWay[] {
    return [...this.#runs]
      .map(([key, { reconcileId, stage, since }]) => ({ key, reconcileId, stage, took: now - since }))
      .sort((one, other) => other.took - one.took);
  }
}

/** Minutes for which failures are counted. */
export const minutesCounted = 5;
/** Failures of which more than their number is kept. */
const kept = 5;
const minute = 60_000;

/** The failures of one controller; keeps a number for each minute, whatever happens. */
export class RecentFailures {
  /** By the minute since the epoch, the last one last. */
  #counts: { readonly minute: number; count: number }[] = [];
  #last: readonly ReconcileFailure[] = [];

  /** Notes a failure. */
  note(failure: ReconcileFailure): void {
    const current = Math.floor(failure.at / minute);
    const counted = this.#counts.at(-1);
    if (counted?.minute === current) counted.count += 1;
    else this.#counts = [...this.#counts, { minute: current, count: 1 }].slice(-minutesCounted);
    this.#last = [failure, ...this.#last].slice(0, kept);
  }

  /** Those of the last minutes; the last ones newest first. */
  within(now: number): { readonly count: number; readonly last: readonly ReconcileFailure[] } {
    const first = Math.floor(now / minute) - minutesCounted;
    const counted = this.#counts.filter((each) => each.minute > first);
    return {
      count: counted.reduce((sum, { count }) => sum + count, 0),
      last: this.#last.filter(({ at }) => Math.floor(at / minute) > first),
    };
  }
}
