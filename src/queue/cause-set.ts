// The bounded set of causes of one key: the first few distinct ones are kept, the rest is counted.
import { maxCauses, type Cause } from "./cause.ts";

/** Causes gathered for one key since it was last handed out. */
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
