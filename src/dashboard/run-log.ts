// The last runs of each resource, kept within bounds. Fed by the controllers, read by the page of a resource.
import { BoundedMap } from "../collections/bounded-map.ts";
import type { JournalRun, RunJournal } from "../ports/run-journal.ts";

/** Runs kept of one resource. */
export const runsOfOne = 20;
/** Resources whose runs are kept: those that ran last. */
export const resourcesWithRuns = 2_000;

/** Keeps runs. */
export class RunLog implements RunJournal {
  readonly #runs = new BoundedMap<string, readonly JournalRun[]>(resourcesWithRuns);
  readonly #listeners = new Set<(run: JournalRun) => void>();

  record(run: JournalRun): void {
    const id = idOf(run.kind, run.key);
    this.#runs.set(id, [run, ...(this.#runs.get(id) ?? [])].slice(0, runsOfOne));
    for (const listener of this.#listeners) listener(run);
  }

  /** Newest first. */
  of(kind: string, key: string): readonly JournalRun[] {
    return this.#runs.get(idOf(kind, key)) ?? [];
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
