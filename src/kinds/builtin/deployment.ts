// Deployment: interchangeable pods, rolled out through replica sets.
import type { NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { LabelSelector } from "./label-selector.ts";
import type { PodTemplate } from "./pod.ts";
import type { WorkloadCondition } from "./workload-condition.ts";

/** A Deployment (apps v1). */
export interface Deployment extends NamespacedObject {
  readonly spec: DeploymentSpec;
  readonly status?: DeploymentStatus;
}

/** What is to run. */
export interface DeploymentSpec {
  /** Default 1. */
  readonly replicas?: number;
  /** Immutable. */
  readonly selector: LabelSelector;
  readonly template: PodTemplate;
  readonly strategy?: {
    readonly type?: "Recreate" | "RollingUpdate";
    readonly rollingUpdate?: {
      readonly maxSurge?: number | string;
      readonly maxUnavailable?: number | string;
    };
  };
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly progressDeadlineSeconds?: number;
  readonly paused?: boolean;
}

/** What runs. */
export interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly WorkloadCondition[];
}

/** The type of {@link Deployment}. */
export const Deployment: ResourceType<Deployment> = builtin<Deployment>(
  "apps/v1",
  "Deployment",
  "deployments",
);
