// Gives the registered resources of a run their turns, one after the other: what is put off to be made together with others is made at
// the right moment, a run that is cut off or in doubt stops, and a long one reports how far it is. registry.ts says which resources have
// their turn, resource-steps.ts what is done with each.
import { monotonicNow, type Clock } from "../../ports/clock.ts";
import { follow, isPromise, type Eventual, type Steps } from "../../ports/eventual.ts";
import type { Results } from "../outcome/results.ts";
import {
  emptyBatch,
  sendTogether,
  type Batch,
  type BatchOptions,
  type BatchReport,
  type RegistryEntry,
} from "./batch.ts";
import type { Resource } from "./resource.ts";

/** Requests of peers that are put off to be made together. */
export const mostTogether = 64;

/** Milliseconds of a run after which it is reported how far it is, and again each time. */
const progressEvery = 5_000;

/** What {@link Turns} needs. */
export interface TurnsOptions {
  readonly scope: {
    readonly clock: Clock;
    /** Whether the run was cut off. */
    readonly isCutOff: boolean;
  };
  readonly results: Results;
  /** Called now and then while many resources are written. Default nobody. */
  readonly onProgress?: (done: number, all: number) => Promise<void>;
}

/** What is done with a resource in its turn. */
export type Work = (entry: RegistryEntry, batch: Batch) => Eventual<unknown>;

/** The turns of the resources of one run. */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #entries: readonly RegistryEntry[];
  readonly #inOrder: () => readonly RegistryEntry[];
  /** When it was reported last how far the run is; monotonic milliseconds. */
  #reportedAt: number | undefined;

  /** `entries`: what is registered at any time; `inOrder`: the same in the order in which they have their turn. */
  constructor(
    options: TurnsOptions,
    entries: readonly RegistryEntry[],
    inOrder: () => readonly RegistryEntry[],
  ) {
    this.#options = options;
    this.#entries = entries;
    this.#inOrder = inOrder;
  }

  /** From now on it counts how long the run has lasted. */
  begin(): void {
    this.#reportedAt ??= monotonicNow(this.#options.scope.clock);
  }

  /** Does the work for each of the `given` resources, default all; at once where nothing has to be waited for. */
  each(
    options: BatchOptions,
    work: Work,
    given?: readonly RegistryEntry[],
    batch: Batch = emptyBatch(),
  ): Eventual<BatchReport> {
    return this.#options.results.gaveUp ? batch : follow(this.#each(options, work, given, batch));
  }

  *#each(
    { stopOnError = false }: BatchOptions,
    work: Work,
    given: readonly RegistryEntry[] | undefined,
    batch: Batch,
  ): Steps<BatchReport> {
    const entries = given ?? [...this.#inOrder()];
    let before: Resource | undefined;
    for (const entry of entries) {
      // What comes after peers may start from what they say.
      const isAmongPeers = before?.peers !== undefined && before.peers === entry.resource.peers;
      if (isDue(batch) && (!isAmongPeers || isHeldUp(entry))) yield this.#flush(batch);
      before = entry.resource;
      // A run that was aborted is left behind: what remains is done by the next one.
      if (this.#options.scope.isCutOff) break;
      // It may start from what another one says, of which nobody knows whether it was written. The application looks for itself.
      if (batch.isUnsure && entry.resource.view === undefined) continue;
      const done = work(entry, batch);
      if (isPromise(done)) yield done;
      if (stopOnError && batch.failures.length > 0) break;
      if ((batch.together?.length ?? 0) >= mostTogether) yield this.#flush(batch);
    }
    if (isDue(batch)) yield this.#flush(batch);
    return batch;
  }

  /** Makes the requests that were put off to be made together. */
  async #flush({ together = [], of }: Batch): Promise<void> {
    await sendTogether(together.splice(0), of, () => this.#options.scope.isCutOff);
    if (of === "writes") await this.#reportProgress();
  }

  /** Has it reported how far the run is, if it has lasted for a while. */
  async #reportProgress(): Promise<void> {
    const { onProgress, scope, results } = this.#options;
    const now = monotonicNow(scope.clock);
    this.#reportedAt ??= now;
    // What has failed is reported at the end, and is not taken back before.
    if (onProgress === undefined || results.failed || now - this.#reportedAt < progressEvery) return;
    this.#reportedAt = now;
    const declared = this.#entries.filter(({ resource }) => resource.view === undefined);
    await onProgress(declared.filter(({ done }) => done).length, declared.length);
  }
}

/** Whether requests were put off. */
function isDue({ together = [] }: Batch): boolean {
  return together.length > 0;
}

/** Whether what it is written after, or what is deleted before it, was put off. */
function isHeldUp({ after, followers }: RegistryEntry): boolean {
  return after.some(({ isPutOff }) => isPutOff) || followers.some(({ isPutOff }) => isPutOff);
}
