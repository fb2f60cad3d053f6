// Whether the operator can be relied upon: every cache that can be filled is complete, and every watch of it is alive. A type
// that the server does not serve, or does not let the operator read, is named; the operator is ready without it, as what can be
// served is served, and as a rollout that waits for ever helps nobody: unless it is a kind of the operator's own of which then
// nothing is served. Pure; asked by the health server. A process that runs is healthy in any case: restarting it does not bring an API server back.
import type { Unavailability } from "../cache/availability.ts";
import type { Informer } from "../cache/informer.ts";
import { idleTimeout } from "../cache/reflector.ts";
import type { KubeObject } from "../meta/object.ts";
import { resourceNameOf, typeKeyOf, type ResourceType } from "../meta/resource-type.ts";
import type { OperatorStage } from "../ports/operator-health.ts";

/** One thing that was looked at. */
export interface ReadinessCheck {
  readonly name: string;
  /** Why it is not ready; undefined when it is. */
  readonly problem?: string;
  /** How it stands, for people. */
  readonly detail?: string;
  /** What is missing, although the operator is ready without it. */
  readonly warning?: string;
}

/** What {@link checkReadiness} looks at. */
export interface ReadinessFacts {
  readonly stage: OperatorStage;
  /** Of the running operator; empty before its caches start. */
  readonly informers: readonly Pick<Informer<KubeObject>, "type" | "scope" | "health" | "unavailable">[];
  /** What the operator's controllers are for; default nothing. */
  readonly kinds?: readonly ResourceType[];
  /** Of the election or of the sharing of keys, when there is one. */
  readonly leadership?: ReadinessCheck | undefined;
  /** Of the webhooks, when they are served. */
  readonly webhooks?: ReadinessCheck | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Milliseconds for which a watch may be lost: a restart of the API server does not make the operator unready. */
const longestLoss = 10_000;

/** Looks at everything; ready when no check has a problem. */
export function checkReadiness({
  stage,
  informers,
  kinds = [],
  leadership,
  webhooks,
  now,
}: ReadinessFacts): readonly ReadinessCheck[] {
  return [
    // A standby that was never ready would hold up the rollout that is to make it the leader.
    stage === "running" || stage === "standby"
      ? { name: "manager" }
      : { name: "manager", problem: `the operator is ${stage}` },
    ...(leadership === undefined ? [] : [leadership]),
    ...(webhooks === undefined ? [] : [webhooks]),
    ...informers.map((informer): ReadinessCheck => {
      const { type, scope, health, unavailable } = informer;
      const where = scope.namespace === undefined ? "" : ` in namespace ${scope.namespace}`;
      const name = `watch of ${resourceNameOf(type)}${where}`;
      if (unavailable !== undefined) {
        const why = unavailableWords[unavailable.reason];
        return isServedWithout(informer, { informers, kinds })
          ? { name, warning: why }
          : { name, problem: why };
      }
      const problem = problemOf(health, now);
      return { name, ...(problem === undefined ? {} : { problem }) };
    }),
  ];
}

/** Without what the server has said, as everybody may ask. */
const unavailableWords: Readonly<Record<Unavailability["reason"], string>> = {
  notServed: "the API server does not serve this version of the type: install its CRD",
  forbidden: "the operator may not list and watch it: grant it the permission",
  failing: "its list fails again and again: see the log",
};

/** Whether the operator has something to do for every kind of its own although a type is unavailable. */
function isServedWithout(
  { type }: Pick<Informer<KubeObject>, "type">,
  { informers, kinds }: Required<Pick<ReadinessFacts, "informers" | "kinds">>,
): boolean {
  const key = typeKeyOf(type);
  if (!kinds.some((kind) => typeKeyOf(kind) === key)) return true;
  return informers.some((each) => typeKeyOf(each.type) === key && each.unavailable === undefined);
}

function problemOf(health: Informer<KubeObject>["health"], now: number): string | undefined {
  const { state, synced, lostSince, lastActivity } = health;
  if (!synced) return `the cache is not complete (${state})`;
  if (lostSince !== undefined && now - lostSince >= longestLoss) {
    return `lost ${seconds(now - lostSince)} ago (${state})`;
  }
  // The watch is then reopened; until it answers, the cache may be out of date.
  if (lastActivity !== undefined && now - lastActivity >= idleTimeout) {
    return `no response for ${seconds(now - lastActivity)} (${state})`;
  }
  return undefined;
}

function seconds(milliseconds: number): string {
  return `${Math.floor(milliseconds / 1_000)} s`;
}
