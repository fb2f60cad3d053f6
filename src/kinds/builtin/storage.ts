// Kinds of storage.k8s.io/v1.
import type { V1CSIDriver } from "@kubernetes/client-node/dist/gen/models/V1CSIDriver.js";
import type { V1CSINode } from "@kubernetes/client-node/dist/gen/models/V1CSINode.js";
import type { V1CSIStorageCapacity } from "@kubernetes/client-node/dist/gen/models/V1CSIStorageCapacity.js";
import type { V1StorageClass } from "@kubernetes/client-node/dist/gen/models/V1StorageClass.js";
import type { V1VolumeAttachment } from "@kubernetes/client-node/dist/gen/models/V1VolumeAttachment.js";
import type { V1VolumeAttributesClass } from "@kubernetes/client-node/dist/gen/models/V1VolumeAttributesClass.js";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { ClusterScopedOf, NamespacedOf } from "./json-of.ts";

/** A CSIDriver (storage.k8s.io v1): a driver for volumes. */
export interface CSIDriver extends ClusterScopedOf<V1CSIDriver> {}
/** The type of {@link CSIDriver}. */
export const CSIDriver: ResourceType<CSIDriver> = builtin(
  "storage.k8s.io/v1",
  "CSIDriver",
  "csidrivers",
  "Cluster",
);

/** A CSINode (storage.k8s.io v1): the drivers on a node. */
export interface CSINode extends ClusterScopedOf<V1CSINode> {}
/** The type of {@link CSINode}. */
export const CSINode: ResourceType<CSINode> = builtin("storage.k8s.io/v1", "CSINode", "csinodes", "Cluster");

/** A CSIStorageCapacity (storage.k8s.io v1): how much a driver can still provide. */
export interface CSIStorageCapacity extends NamespacedOf<V1CSIStorageCapacity> {}
/** The type of {@link CSIStorageCapacity}. */
export const CSIStorageCapacity: ResourceType<CSIStorageCapacity> = builtin(
  "storage.k8s.io/v1",
  "CSIStorageCapacity",
  "csistoragecapacities",
);

/** A StorageClass (storage.k8s.io v1): how volumes are provided. */
export interface StorageClass extends ClusterScopedOf<V1StorageClass> {}
/** The type of {@link StorageClass}. */
export const StorageClass: ResourceType<StorageClass> = builtin(
  "storage.k8s.io/v1",
  "StorageClass",
  "storageclasses",
  "Cluster",
);

/** A VolumeAttachment (storage.k8s.io v1): a volume that is to be attached to a node. */
export interface VolumeAttachment extends ClusterScopedOf<V1VolumeAttachment> {}
/** The type of {@link VolumeAttachment}. */
export const VolumeAttachment: ResourceType<VolumeAttachment> = builtin(
  "storage.k8s.io/v1",
  "VolumeAttachment",
  "volumeattachments",
  "Cluster",
);

/** A VolumeAttributesClass (storage.k8s.io v1): attributes of volumes that a driver can change. */
export interface VolumeAttributesClass extends ClusterScopedOf<V1VolumeAttributesClass> {}
/** The type of {@link VolumeAttributesClass}. */
export const VolumeAttributesClass: ResourceType<VolumeAttributesClass> = builtin(
  "storage.k8s.io/v1",
  "VolumeAttributesClass",
  "volumeattributesclasses",
  "Cluster",
);
