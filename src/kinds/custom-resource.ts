// The shape of a custom resource: the author's spec and status, with what the operator adds to every kind.
import type { Condition } from "../meta/condition.ts";
import type { LifecycleStatus } from "../lifecycle/stored/snapshot.ts";
import type { ClusterMeta, KubeObject, NamespacedMeta } from "../meta/object.ts";

/** What every status has. */
export interface CommonStatus {
  readonly conditions?: readonly Condition[];
  /** The generation that the status speaks about. */
  readonly observedGeneration?: number;
}

/** What a kind with a lifecycle adds to the spec. */
export interface LifecycleSpecField {
  readonly lifecycle?: {
    /** The desired state. */
    readonly desiredState?: string;
    /** Any text; changing it asks once more for the same state. */
    readonly request?: string;
  };
}

/** What a kind with a lifecycle adds to the status. */
export interface LifecycleStatusField {
  /** Absent until the first cycle; written by the operator alone. */
  readonly lifecycle?: Partial<LifecycleStatus>;
}

/** Whether the instances of a kind live in namespaces. */
export type Scope = "Namespaced" | "Cluster";

/**
 * An instance of a kind made by `defineKind`.
 * The status is written piece by piece, so each of its fields may be missing.
 */
export interface CustomResource<
  TSpec = unknown,
  TStatus = unknown,
  TScope extends Scope = "Namespaced",
> extends KubeObject {
  readonly metadata: TScope extends "Cluster" ? ClusterMeta : NamespacedMeta;
  readonly spec: TSpec;
  readonly status?: Partial<TStatus> & CommonStatus;
}
