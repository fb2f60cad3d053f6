// What a reconcile comes to: the one form in which it is known from the hooks' results to the queue, the journal, metrics
// and traces.
import type { Operation } from "./operation.ts";

/** What the operations of a run add up to. */
export interface ReconcileResult {
  /**
   * - `settled`: nothing is wrong;
   * - `waiting`: the only errors are waits, a `RequeueError` or a conflict with another writer;
   * - `failed`: an error; without a delay the key's backoff decides when to try again;
   * - `gaveUp`: retrying is useless until something changes; reconciled again on a slow timer.
   */
  readonly kind: "settled" | "waiting" | "failed" | "gaveUp";
  /** The first error, or the reason of a give-up; undefined without one. */
  readonly error?: Error | undefined;
  /** Milliseconds; undefined when nothing was asked for. */
  readonly requeueAfter?: number | undefined;
  /** True while something asked for is still outstanding. */
  readonly pending?: boolean;
}

/** A run that is over. */
export interface RunResult extends ReconcileResult {
  /** The stages entered, in order: `CRChecker` to `End`; empty when there was nothing to do. */
  readonly path: readonly string[];
  readonly operations: readonly Operation[];
  /** Write requests sent by the pipeline and its resources. */
  readonly writes: number;
}
