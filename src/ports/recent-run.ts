// What an operator reports of its last runs when asked: why they took place and what came of them, and nothing that an
// object holds. Served by src/manager, asked for by `explain`.
import type { JournalCause } from "./run-journal.ts";

/** One run of the reconciliation pipeline. */
export interface RecentRun {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Milliseconds. */
  readonly took: number;
  readonly causes: readonly JournalCause[];
  /** Write requests. */
  readonly writes: number;
  /** It ended with an error; the condition `ReconciliationSuccess` says with which. */
  readonly failed: boolean;
}

/** The path at which they are served. */
export const recentRunsPath = "/debug/runs";
