// Whether a custom resource shows by itself that work on it is left over: what the process before did not get to. Pure.
import { findCondition, type Condition } from "../meta/condition.ts";
import type { KubeObject } from "../meta/object.ts";

/** It is being deleted, its last change is not told in its status, or its status tells of work that is not done. */
export function isUnsettled({ metadata, ...object }: KubeObject): boolean {
  if (metadata.deletionTimestamp !== undefined) return true;
  const { status } = object as {
    readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly Condition[] };
  };
  // One without a status is new, as all are when many are created at once: those have no claim before others.
  if (status === undefined) return false;
  if (metadata.generation !== undefined && status.observedGeneration !== metadata.generation) return true;
  return findCondition(status.conditions, "ReconciliationSuccess")?.status !== "True";
}
