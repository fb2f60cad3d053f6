// DaemonSet: one pod on each node.
import type { NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { LabelSelector } from "./label-selector.ts";
import type { PodTemplate } from "./pod.ts";
import type { WorkloadCondition } from "./workload-condition.ts";

/** A DaemonSet (apps v1). */
export interface DaemonSet extends NamespacedObject {
  readonly spec: {
    /** Immutable. */
    readonly selector: LabelSelector;
    readonly template: PodTemplate;
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
    readonly updateStrategy?: {
      readonly type?: "RollingUpdate" | "OnDelete";
      readonly rollingUpdate?: {
        readonly maxSurge?: number | string;
        readonly maxUnavailable?: number | string;
      };
    };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly currentNumberScheduled?: number;
    readonly desiredNumberScheduled?: number;
    readonly numberAvailable?: number;
    readonly numberMisscheduled?: number;
    readonly numberReady?: number;
    readonly numberUnavailable?: number;
    readonly updatedNumberScheduled?: number;
    readonly conditions?: readonly WorkloadCondition[];
  };
}

/** The type of {@link DaemonSet}. */
export const DaemonSet: ResourceType<DaemonSet> = builtin<DaemonSet>("apps/v1", "DaemonSet", "daemonsets");
