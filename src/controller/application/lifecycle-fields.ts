// Where the lifecycle stands in a custom resource: what of it is read before a cycle, and what of the cycle's plan goes into
// the status after it. Pure.
import type { CycleInput, CyclePlan } from "../../lifecycle/cycle-plan.ts";
import { problemCondition } from "../../lifecycle/reporting/problem-condition.ts";
import { pausedCondition } from "../../lifecycle/stored/restore.ts";
import { isRegionCondition } from "../../lifecycle/reporting/region-conditions.ts";
import { withSinceStored } from "../../lifecycle/stored/since-stored.ts";
import { isEqualJson } from "../../meta/changed-paths.ts";
import type { KubeObject } from "../../meta/object.ts";
import { intentHash } from "../../reconcile/comparison/intent-hash.ts";
import { isRetired } from "../../reconcile/status/retired-conditions.ts";
import type { StatusDraft } from "../../reconcile/status/status-draft.ts";

/** `status.lifecycle` as stored; untrusted. */
export function lifecycleStatusOf(cr: KubeObject): unknown {
  return (cr as { readonly status?: { readonly lifecycle?: unknown } }).status?.lifecycle;
}

/** What is desired in `spec.lifecycle`, and the spec without it. */
export function splitSpec(cr: KubeObject): Pick<CycleInput, "desired" | "spec"> {
  const { lifecycle, ...spec } = specOf(cr);
  return { desired: readDesiredState(lifecycle), spec };
}

/** The spec of a resource as it was hashed last; what is cached does not change. */
export interface HashedSpec {
  readonly whole: object;
  readonly hash: string;
}

/**
 * The hash of the spec without `spec.lifecycle`, as {@link splitSpec} returns it. A spec is seldom another one than it was: the cycles of a
 * run have one, and what is written of a resource leaves it as it is.
 */
export function hashedSpec(
  cr: KubeObject,
  spec: CycleInput["spec"],
  last: HashedSpec | undefined,
): HashedSpec {
  const whole = specOf(cr);
  // What somebody may have changed meanwhile is not what was hashed.
  if (last !== undefined && Object.isFrozen(last.whole)) {
    if (last.whole === whole) return last;
    if (isEqualJson(last.whole, whole)) return { whole, hash: last.hash };
  }
  return { whole, hash: intentHash(spec, { kind: cr.kind, builtin: false }) };
}

function specOf(cr: KubeObject): Readonly<Record<string, unknown>> {
  const { spec } = cr as { readonly spec?: unknown };
  return typeof spec === "object" && spec !== null ? (spec as Readonly<Record<string, unknown>>) : {};
}

function readDesiredState(asked: unknown): CycleInput["desired"] {
  if (typeof asked !== "object" || asked === null) return {};
  const { desiredState, request } = asked as { readonly desiredState?: unknown; readonly request?: unknown };
  return {
    ...(typeof desiredState === "string" ? { state: desiredState } : {}),
    ...(typeof request === "string" ? { request } : {}),
  };
}

/**
 * Puts the plan's own conditions and its `status.lifecycle` into the status; twice is as once. What is for people in it is masked
 * already, and nothing else may be changed: its digest would not be that of what is stored.
 */
export function contributePlan(draft: StatusDraft, plan: CyclePlan): void {
  const { status, condition, regions, pause, problem } = plan;
  const conditions = [condition, ...regions, pause, problem].filter((each) => each !== undefined);
  for (const { type, status: value, reason, message } of conditions) {
    draft.putCondition({ type, status: value, reason, message });
  }
  if (status === undefined) return;
  if (problem === undefined) draft.removeCondition(problemCondition);
  if (pause === undefined) draft.removeCondition(pausedCondition);
  for (const { type } of draft.conditions) {
    if (isRegionCondition(type) && !regions.some((region) => region.type === type))
      draft.removeCondition(type);
  }
  for (const { type } of draft.conditions.filter(isRetired)) draft.removeCondition(type);
  draft.put("lifecycle", withSinceStored(draft.stored["lifecycle"], status));
}
