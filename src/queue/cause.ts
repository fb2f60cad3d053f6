// Why a key is in the queue: a bounded set that travels to the reconcile, to logs and to `explain`.
import type { SpanReference } from "../ports/tracing.ts";

/** One reason for a reconcile. Never decides anything: the object is always read from the cache. */
export interface Cause {
  /** What happened. */
  readonly reason:
    | "initialList"
    | "added"
    | "modified"
    | "deleted"
    | "requeueAfter"
    | "retry"
    | "resync"
    | "handOver"
    | "external";
  /** Kind of the object it happened to. */
  readonly kind?: string;
  /** `namespace/name` of that object. */
  readonly object?: string;
  /** What changed, for instance `spec.size`. */
  readonly detail?: string;
  /** The span in which it was told; no part of what makes two causes the same. */
  readonly trace?: SpanReference;
}

/** Causes kept for one key; more are counted, not kept. */
export const maxCauses = 8;
