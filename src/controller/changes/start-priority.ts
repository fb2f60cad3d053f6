// How soon a custom resource is looked at that is there when a process begins to serve it: at its start, or when it takes over
// from another one. What was to be done already does not wait longer because the process is another. Pure.
import { findCondition, type Condition } from "../../meta/condition.ts";
import { neverObserved } from "../../kinds/status-conditions.ts";
import type { KubeObject } from "../../meta/object.ts";

/** Waits behind whatever a user does meanwhile. */
export const lowestPriority = -100;
/** Work that is not done comes before what only has to be looked at. */
export const unfinishedPriority = -10;
/** A change that nobody has acted on yet waits among the changes made now, in front. */
export const changePriority = 0;

/**
 * The priority of a resource, by what it shows itself: a change (it is being deleted, or its status tells of another
 * generation), work that is not done (its status tells of no success), or nothing.
 */
export function startPriorityOf({ metadata, ...object }: KubeObject): number {
  if (metadata.deletionTimestamp !== undefined) return changePriority;
  const { status } = object as {
    readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly Condition[] };
  };
  const { observedGeneration, conditions } = status ?? {};
  // One that was never observed is new, as all are when many are created at once: those have no claim before others.
  if (status === undefined || observedGeneration === neverObserved) return lowestPriority;
  if (metadata.generation !== undefined && observedGeneration !== metadata.generation) return changePriority;
  return findCondition(conditions, "ReconciliationSuccess")?.status === "True"
    ? lowestPriority
    : unfinishedPriority;
}
