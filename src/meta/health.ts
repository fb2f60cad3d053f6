// How an application is, in the conditions that kstatus, Argo CD and kubectl wait read. Decided by the lifecycle, by the
// readiness of what a plain kind declares, and by how a run went; written together, in one place.
// Rules: https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
import type { Condition } from "./condition.ts";

/** Why a condition stands. */
export type Finding = Pick<Condition, "reason" | "message">;

/** How an application is. `reconciling` and `stalled` exclude each other, and what is stalled is not ready. */
export interface Health {
  /** Whether it does what it is there for, with a reason. */
  readonly ready: Finding & Pick<Condition, "status">;
  /** It is being changed, or a failure is being retried: something follows without anybody's help. */
  readonly reconciling?: Finding | undefined;
  /** Nothing follows until somebody changes something. */
  readonly stalled?: Finding | undefined;
  /** It works worse than it should. */
  readonly degraded?: Finding | undefined;
}

/** The condition that is always there. */
export const readyCondition = "Ready";

/** The conditions that stand only while they are True. */
export const transientConditions = ["Reconciling", "Stalled", "Degraded"] as const;

/** The conditions of a health, without those that do not stand. */
export function healthConditionsOf(
  health: Health,
): readonly (Finding & Pick<Condition, "type" | "status">)[] {
  const { ready, reconciling, stalled, degraded } = health;
  const standing = { Reconciling: reconciling, Stalled: stalled, Degraded: degraded };
  return [
    { type: readyCondition, ...ready },
    ...transientConditions.flatMap((type) => {
      const finding = standing[type];
      return finding === undefined ? [] : [{ type, status: "True" as const, ...finding }];
    }),
  ];
}
