// ReplicaSet: one revision of a deployment.
import type { NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { LabelSelector } from "./label-selector.ts";
import type { PodTemplate } from "./pod.ts";
import type { WorkloadCondition } from "./workload-condition.ts";

/** A ReplicaSet (apps v1). */
export interface ReplicaSet extends NamespacedObject {
  readonly spec: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly selector: LabelSelector;
    readonly template?: PodTemplate;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly fullyLabeledReplicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly terminatingReplicas?: number;
    readonly conditions?: readonly WorkloadCondition[];
  };
}

/** The type of {@link ReplicaSet}. */
export const ReplicaSet: ResourceType<ReplicaSet> = builtin<ReplicaSet>(
  "apps/v1",
  "ReplicaSet",
  "replicasets",
);
