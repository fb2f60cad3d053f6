// PersistentVolumeClaim: a request for storage.
import type { NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { LabelSelector } from "./label-selector.ts";
import type { TypedLocalObjectReference } from "./local-reference.ts";
import type { WorkloadCondition } from "./workload-condition.ts";

/** A PersistentVolumeClaim (core v1). */
export interface PersistentVolumeClaim extends NamespacedObject {
  readonly spec: PersistentVolumeClaimSpec;
  readonly status?: PersistentVolumeClaimStatus;
}

/** How a volume may be mounted. */
export type AccessMode = "ReadWriteOnce" | "ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOncePod";

/** What is asked for. Only `resources.requests` can change, and only grow. */
export interface PersistentVolumeClaimSpec {
  readonly accessModes?: readonly AccessMode[];
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
  readonly storageClassName?: string;
  readonly volumeName?: string;
  readonly volumeMode?: "Filesystem" | "Block";
  readonly selector?: LabelSelector;
  readonly dataSource?: TypedLocalObjectReference;
}

/** What was given. */
export interface PersistentVolumeClaimStatus {
  readonly phase?: "Pending" | "Bound" | "Lost";
  readonly capacity?: Readonly<Record<string, string>>;
  readonly accessModes?: readonly AccessMode[];
  readonly conditions?: readonly WorkloadCondition[];
}

/** The type of {@link PersistentVolumeClaim}. */
export const PersistentVolumeClaim: ResourceType<PersistentVolumeClaim> = builtin<PersistentVolumeClaim>(
  "v1",
  "PersistentVolumeClaim",
  "persistentvolumeclaims",
);
