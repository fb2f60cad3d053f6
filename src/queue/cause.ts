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
  /** The span in which it was reported; no part of what makes two causes the same. */
  readonly trace?: SpanReference;
}

/** Causes kept for one key; more are counted, not kept. */
export const maxCauses = 8;

/** The first few distinct causes gathered for one key since it was last handed out. */
export interface CauseSet {
  readonly causes: readonly Cause[];
  /** Distinct or not: how many were left out because the set was full. */
  readonly more: number;
}

/** No cause yet. */
export const noCauses: CauseSet = { causes: [], more: 0 };

/** The set with one more cause; the same set when that cause is in it. */
export function withCause(set: CauseSet, cause: Cause | undefined): CauseSet {
  if (cause === undefined || set.causes.some((each) => isSameCause(each, cause))) return set;
  if (set.causes.length >= maxCauses) return { causes: set.causes, more: set.more + 1 };
  return { causes: [...set.causes, cause], more: set.more };
}

function isSameCause(one: Cause, other: Cause): boolean {
  return (
    one.reason === other.reason &&
    one.kind === other.kind &&
    one.object === other.object &&
    one.detail === other.detail
  );
}
