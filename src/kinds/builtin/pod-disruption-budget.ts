// PodDisruptionBudget: how many pods may be evicted at once.
import type { NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { LabelSelector } from "./label-selector.ts";
import type { WorkloadCondition } from "./workload-condition.ts";

/** A PodDisruptionBudget (policy v1). */
export interface PodDisruptionBudget extends NamespacedObject {
  readonly spec: {
    readonly selector?: LabelSelector;
    /** Number or percentage; excludes `maxUnavailable`. */
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
    readonly unhealthyPodEvictionPolicy?: "IfHealthyBudget" | "AlwaysAllow";
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly currentHealthy?: number;
    readonly desiredHealthy?: number;
    readonly expectedPods?: number;
    readonly disruptionsAllowed?: number;
    readonly conditions?: readonly WorkloadCondition[];
  };
}

/** The type of {@link PodDisruptionBudget}. */
export const PodDisruptionBudget: ResourceType<PodDisruptionBudget> = builtin<PodDisruptionBudget>(
  "policy/v1",
  "PodDisruptionBudget",
  "poddisruptionbudgets",
);
