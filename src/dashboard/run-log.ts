// The last runs of each resource, kept within bounds. Fed by the controllers, read by the page of a resource.
import { LastOfEach } from "../collections/last-of-each.ts";
import type { JournalRun, RunJournal } from "../ports/run-journal.ts";

/** Runs kept of one resource. */
export const runsOfOne = 20;
/** Resources whose runs are kept: those that ran last. */
export const resourcesWithRuns = 2_000;

/** Keeps runs. */
export class RunLog implements RunJournal {
  readonly #runs = new LastOfEach<JournalRun>(resourcesWithRuns, runsOfOne);
  readonly #listeners = new Set<(run: JournalRun) => void>();

  record(run: JournalRun): void {
    this.#runs.add(idOf(run.kind, run.key), run);
    for (const listener of this.#listeners) listener(run);
  }

  /** As many resources have run as it keeps runs of: those of others may have been forgotten. */
  get isFull(): boolean {
    return this.#runs.isFull;
  }

  /** Newest first. */
  of(kind: string, key: string): readonly JournalRun[] {
    return this.#runs.of(idOf(kind, key));
  }

  /** Tells of each run from now on. */
  subscribe(listener: (run: JournalRun) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

function idOf(kind: string, key: string): string {
  return `${kind} ${key}`;
}
