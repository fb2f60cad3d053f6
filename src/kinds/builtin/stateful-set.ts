// StatefulSet: pods with an identity and storage of their own.
import type { NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { LabelSelector } from "./label-selector.ts";
import type { PersistentVolumeClaimSpec } from "./persistent-volume-claim.ts";
import type { PodTemplate } from "./pod.ts";
import type { WorkloadCondition } from "./workload-condition.ts";

/** A StatefulSet (apps v1). */
export interface StatefulSet extends NamespacedObject {
  readonly spec: StatefulSetSpec;
  readonly status?: StatefulSetStatus;
}

/** What is to run. */
export interface StatefulSetSpec {
  /** Default 1. */
  readonly replicas?: number;
  /** Immutable. */
  readonly selector: LabelSelector;
  /** The headless service that gives the pods their names; immutable. */
  readonly serviceName?: string;
  readonly template: PodTemplate;
  /** Immutable. */
  readonly volumeClaimTemplates?: readonly VolumeClaimTemplate[];
  /** Immutable. Default `OrderedReady`. */
  readonly podManagementPolicy?: "OrderedReady" | "Parallel";
  readonly updateStrategy?: {
    readonly type?: "RollingUpdate" | "OnDelete";
    /** Pods with an ordinal below `partition` keep the old revision. */
    readonly rollingUpdate?: { readonly partition?: number; readonly maxUnavailable?: number | string };
  };
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly ordinals?: { readonly start?: number };
  readonly persistentVolumeClaimRetentionPolicy?: {
    readonly whenDeleted?: "Retain" | "Delete";
    readonly whenScaled?: "Retain" | "Delete";
  };
}

/** A claim made for each pod. */
export interface VolumeClaimTemplate {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: PersistentVolumeClaimSpec;
}

/** What runs. */
export interface StatefulSetStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly currentReplicas?: number;
  readonly updatedReplicas?: number;
  readonly availableReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly collisionCount?: number;
  readonly conditions?: readonly WorkloadCondition[];
}

/** The type of {@link StatefulSet}. */
export const StatefulSet: ResourceType<StatefulSet> = builtin<StatefulSet>(
  "apps/v1",
  "StatefulSet",
  "statefulsets",
);
