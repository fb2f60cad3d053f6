// The last runs of each resource, a few and without what an object holds, so that they can be kept by every operator.
// Fed by the controllers, read at the health server.
import type { RecentRun } from "../ports/recent-run.ts";
import type { JournalRun, RunJournal } from "../ports/run-journal.ts";
import { BoundedMap } from "../collections/bounded-map.ts";

/** Runs kept of one resource. */
export const recentRunsOfOne = 5;
/** Resources of which runs are kept: those that ran last. About 2 MB when all are there. */
export const resourcesWithRecentRuns = 1_000;

/** Keeps the last runs, and passes each on. */
export class RecentRuns implements RunJournal {
  readonly #runs = new BoundedMap<string, readonly RecentRun[]>(resourcesWithRecentRuns);
  readonly #next: RunJournal | undefined;

  constructor(next?: RunJournal) {
    this.#next = next;
  }

  record(run: JournalRun): void {
    const { kind, key, startedAt, took, causes, writes, error } = run;
    const id = idOf(kind, key);
    const recent: RecentRun = { startedAt, took, causes, writes, failed: error !== undefined };
    const runs = [recent, ...(this.#runs.get(id) ?? [])].slice(0, recentRunsOfOne);
    this.#runs.set(id, runs);
    this.#next?.record(run);
  }

  /** Newest first; `key` is `namespace/name`, or `name`. */
  of(kind: string, key: string): readonly RecentRun[] {
    return this.#runs.get(idOf(kind, key)) ?? [];
  }
}

function idOf(kind: string, key: string): string {
  return `${kind} ${key}`;
}
