// The last runs of each resource, a few and without what an object holds, so that they can be kept by every operator.
// Fed by the controllers, read at the health server.
import { LastOfEach } from "../collections/last-of-each.ts";
import type { RecentRun } from "../ports/recent-run.ts";
import type { JournalRun, RunJournal } from "../ports/run-journal.ts";

/** Runs kept of one resource. */
export const recentRunsOfOne = 5;
/** Resources of which runs are kept: those that ran last. About 2 MB when all are there. */
export const resourcesWithRecentRuns = 1_000;

/** Keeps the last runs, and passes each on. */
export class RecentRuns implements RunJournal {
  readonly #runs = new LastOfEach<RecentRun>(resourcesWithRecentRuns, recentRunsOfOne);
  readonly #next: RunJournal | undefined;

  constructor(next?: RunJournal) {
    this.#next = next;
  }

  record(run: JournalRun): void {
    const { kind, key, startedAt, took, causes, writes, error } = run;
    this.#runs.add(idOf(kind, key), { startedAt, took, causes, writes, failed: error !== undefined });
    this.#next?.record(run);
  }

  /** Newest first; `key` is `namespace/name`, or `name`. */
  of(kind: string, key: string): readonly RecentRun[] {
    return this.#runs.of(idOf(kind, key));
  }
}

function idOf(kind: string, key: string): string {
  return `${kind} ${key}`;
}
