// The status of a replica set, computed from its pods. Pure.
import type { ReplicaSet } from "../../../kinds/builtin/apps.ts";
import type { Pod } from "../../../kinds/builtin/core.ts";
import { availableIn, isPodReady } from "../../pods/pod-state.ts";
import { isSelectedBy } from "../../../kinds/selector-match.ts";
import { withoutZeros, withWorkloadCondition } from "../workload-status.ts";

/** What is asked of a set of replicas. */
export type ReplicasSpec = Pick<ReplicaSet["spec"], "replicas" | "minReadySeconds" | "selector" | "template">;

/** What the status is computed from. */
export interface ReplicaSetFacts {
  readonly spec: ReplicasSpec;
  readonly generation: number;
  /** As it was before. */
  readonly status: ReplicaSet["status"];
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
  spec,
  generation,
  status,
  pods,
  terminating,
  failure,
  now,
}: ReplicaSetFacts): NonNullable<ReplicaSet["status"]> {
  const templateLabels = { matchLabels: spec.template?.metadata?.labels ?? {} };
  const before = status?.conditions ?? [];
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
      availableReplicas: pods.filter((pod) => availableIn(pod, spec.minReadySeconds ?? 0, now) === 0).length,
      observedGeneration: generation,
      conditions,
    }),
    terminatingReplicas: terminating,
  };
}
