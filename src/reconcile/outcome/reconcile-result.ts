// What a reconcile comes to: the one form in which it is known from the hooks' results to the queue, the journal, metrics
// and traces; and the operations it is made of, each of which says what was done to which resource, and how it ended.
import type { KubeObject } from "../../meta/object.ts";

/** One entry of the results. */
export interface Operation {
  /** What was done. Authors may use words of their own. */
  readonly code:
    | "Fetched"
    | "Registered"
    | "Unreadable"
    | "Unavailable"
    | "Mutated"
    | "MutationFailed"
    | "MutationAsksRequeue"
    | "Unchanged"
    | "Created"
    | "CreationDelayed"
    | "Held"
    | "Updated"
    | "Deleted"
    | "WriteFailed"
    | "Terminating"
    | "Conflict"
    | "Finalizing"
    | "FinalizerAdded"
    | "FinalizerRemoved"
    | "StatusUpdated"
    | "StatusUpdateFailed"
    | "Gone"
    | "SameStatusError"
    | "HookFailed"
    | "RequeueAsked"
    | "GaveUp"
    | "Succeeded"
    | (string & {});
  /** `Kind/name` of the resource concerned; absent when it is about the custom resource. */
  readonly resource?: string;
  /** Why it failed; absent where it did not. */
  readonly error?: Error;
  /** Milliseconds after which to look again; absent when nothing was asked. */
  readonly requeueAfter?: number;
  /** True when something asked for is still outstanding: the run cannot claim full success. */
  readonly pending?: boolean;
  /** A sentence for people about what is outstanding. */
  readonly message?: string;
}

/** The code of an {@link Operation}. */
export type OperationCode = Operation["code"];

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
  /** The stage in which it failed or gave up. */
  readonly failedIn?: string | undefined;
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
  /** Children that it has written, as they are since; only those of which no hook has to see that in another run. */
  readonly seen: readonly KubeObject[];
}
