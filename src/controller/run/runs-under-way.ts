// Which reconciles are under way, and how far they are: what is told when one takes too long or the process stops.
// Fed by the workers (begin, end) and by the reconciler (the stage).

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
