// Whether the operator can be relied upon: every cache is complete and every watch is alive. Pure; asked by the health
// server. A process that runs is healthy in any case: restarting it does not bring an API server back.
import type { Informer } from "../cache/informer.ts";
import { idleTimeout } from "../cache/reflector.ts";
import type { KubeObject } from "../meta/object.ts";
import { resourceNameOf } from "../meta/resource-type.ts";
import type { OperatorStage } from "../ports/operator-health.ts";

/** One thing that was looked at. */
export interface ReadinessCheck {
  readonly name: string;
  /** Why it is not ready; undefined when it is. */
  readonly problem?: string;
  /** How it stands, for people. */
  readonly detail?: string;
}

/** What {@link checkReadiness} looks at. */
export interface ReadinessFacts {
  readonly stage: OperatorStage;
  /** Of the running operator; empty before its caches start. */
  readonly informers: readonly Pick<Informer<KubeObject>, "type" | "health">[];
  /** Of the election or of the sharing of keys, when there is one. */
  readonly leadership?: ReadinessCheck | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Milliseconds for which a watch may be lost: a restart of the API server does not make the operator unready. */
const longestLoss = 10_000;

/** Looks at everything; ready when no check has a problem. */
export function checkReadiness({
  stage,
  informers,
  leadership,
  now,
}: ReadinessFacts): readonly ReadinessCheck[] {
  return [
    // A standby that was never ready would hold up the rollout that is to make it the leader.
    stage === "running" || stage === "standby"
      ? { name: "manager" }
      : { name: "manager", problem: `the operator is ${stage}` },
    ...(leadership === undefined ? [] : [leadership]),
    ...informers.map(({ type, health }) => {
      const problem = problemOf(health, now);
      return { name: `watch of ${resourceNameOf(type)}`, ...(problem === undefined ? {} : { problem }) };
    }),
  ];
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
