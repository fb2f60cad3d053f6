// The status of a replica set, computed from its pods. Pure.
import type { ReplicaSet } from "../../../kinds/builtin/apps.ts";
import type { Pod } from "../../../kinds/builtin/core.ts";
import { availableIn, isPodReady } from "../../pods/pod-state.ts";
import { isSelectedBy } from "../../../kinds/selector-match.ts";
import { withoutZeros, withWorkloadCondition } from "../workload-status.ts";

/** What the status is computed from. */
export interface ReplicaSetFacts {
  readonly set: ReplicaSet;
  /** The set's pods that neither ended nor are being deleted. */
  readonly pods: readonly Pod[];
  /** How many of its pods are being deleted, and have not ended. */
  readonly terminating: number;
  /** Why pods could not be created or deleted, if so. */
  readonly failure:
    { readonly reason: "FailedCreate" | "FailedDelete"; readonly message: string } | undefined;
  readonly now: number;
}

/** The status, without counts of zero; `replicas` and `terminatingReplicas` are always there. */
export function replicaSetStatus({
  set,
  pods,
  terminating,
  failure,
  now,
}: ReplicaSetFacts): NonNullable<ReplicaSet["status"]> {
  const templateLabels = { matchLabels: set.spec.template?.metadata?.labels ?? {} };
  const before = set.status?.conditions ?? [];
  const conditions =
    failure === undefined
      ? before.filter((each) => each.type !== "ReplicaFailure")
      : withWorkloadCondition(before, { type: "ReplicaFailure", status: "True", ...failure }, now);
  return {
    replicas: pods.length,
    ...withoutZeros({
      fullyLabeledReplicas: pods.filter((pod) => isSelectedBy(templateLabels, pod.metadata.labels ?? {}))
        .length,
      readyReplicas: pods.filter(isPodReady).length,
      availableReplicas: pods.filter((pod) => availableIn(pod, set.spec.minReadySeconds ?? 0, now) === 0)
        .length,
      observedGeneration: set.metadata.generation ?? 0,
      conditions,
    }),
    terminatingReplicas: terminating,
  };
}
