// Kinds of the core group, v1.
import type { V1ConfigMap } from "@kubernetes/client-node/dist/gen/models/V1ConfigMap.js";
import type { V1Endpoints } from "@kubernetes/client-node/dist/gen/models/V1Endpoints.js";
import type { V1LimitRange } from "@kubernetes/client-node/dist/gen/models/V1LimitRange.js";
import type { V1NamespaceSpec } from "@kubernetes/client-node/dist/gen/models/V1NamespaceSpec.js";
import type { V1NamespaceStatus } from "@kubernetes/client-node/dist/gen/models/V1NamespaceStatus.js";
import type { V1NodeSpec } from "@kubernetes/client-node/dist/gen/models/V1NodeSpec.js";
import type { V1NodeStatus } from "@kubernetes/client-node/dist/gen/models/V1NodeStatus.js";
import type { V1PersistentVolume } from "@kubernetes/client-node/dist/gen/models/V1PersistentVolume.js";
import type { V1PersistentVolumeClaim } from "@kubernetes/client-node/dist/gen/models/V1PersistentVolumeClaim.js";
import type { V1Pod } from "@kubernetes/client-node/dist/gen/models/V1Pod.js";
import type { V1PodTemplate } from "@kubernetes/client-node/dist/gen/models/V1PodTemplate.js";
import type { V1ReplicationController } from "@kubernetes/client-node/dist/gen/models/V1ReplicationController.js";
import type { V1ResourceQuota } from "@kubernetes/client-node/dist/gen/models/V1ResourceQuota.js";
import type { V1Secret } from "@kubernetes/client-node/dist/gen/models/V1Secret.js";
import type { V1Service } from "@kubernetes/client-node/dist/gen/models/V1Service.js";
import type { V1ServiceAccount } from "@kubernetes/client-node/dist/gen/models/V1ServiceAccount.js";
import type { ClusterObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { ClusterScopedOf, JsonOf, NamespacedOf } from "./json-of.ts";

/** A ConfigMap (core v1): configuration that is not secret; at most 1 MiB. */
export interface ConfigMap extends NamespacedOf<V1ConfigMap> {}
/** The type of {@link ConfigMap}. */
export const ConfigMap: ResourceType<ConfigMap> = builtin("v1", "ConfigMap", "configmaps");

/** An Endpoints (core v1): the addresses behind a service; deprecated in favour of {@link EndpointSlice}. */
export interface Endpoints extends NamespacedOf<V1Endpoints> {}
/** The type of {@link Endpoints}. */
export const Endpoints: ResourceType<Endpoints> = builtin("v1", "Endpoints", "endpoints");

/** A LimitRange (core v1): defaults and limits for what pods and claims of a namespace request. */
export interface LimitRange extends NamespacedOf<V1LimitRange> {}
/** The type of {@link LimitRange}. */
export const LimitRange: ResourceType<LimitRange> = builtin("v1", "LimitRange", "limitranges");

/** A Namespace (core v1): the scope of names; its deletion deletes everything in it. */
export interface Namespace extends ClusterObject {
  /** Finalizers of the namespace. */
  readonly spec?: JsonOf<V1NamespaceSpec>;
  /** Whether it is active or ends. */
  readonly status?: JsonOf<V1NamespaceStatus>;
}
/** The type of {@link Namespace}. */
export const Namespace: ResourceType<Namespace> = builtin("v1", "Namespace", "namespaces", "Cluster");

/** A Node (core v1): a machine that runs pods. */
export interface Node extends ClusterObject {
  /** Taints, addresses of pods, whether pods may be placed. */
  readonly spec?: JsonOf<V1NodeSpec>;
  /** Conditions, capacity, addresses. */
  readonly status?: JsonOf<V1NodeStatus>;
}
/** The type of {@link Node}. */
export const Node: ResourceType<Node> = builtin("v1", "Node", "nodes", "Cluster");

/** A PersistentVolume (core v1): a piece of storage in the cluster. */
export interface PersistentVolume extends ClusterScopedOf<V1PersistentVolume> {}
/** The type of {@link PersistentVolume}. */
export const PersistentVolume: ResourceType<PersistentVolume> = builtin(
  "v1",
  "PersistentVolume",
  "persistentvolumes",
  "Cluster",
);

/** A PersistentVolumeClaim (core v1): a request for storage. */
export interface PersistentVolumeClaim extends NamespacedOf<V1PersistentVolumeClaim> {}
/** The type of {@link PersistentVolumeClaim}. */
export const PersistentVolumeClaim: ResourceType<PersistentVolumeClaim> = builtin(
  "v1",
  "PersistentVolumeClaim",
  "persistentvolumeclaims",
);

/** A Pod (core v1): containers that run together on one node. */
export interface Pod extends NamespacedOf<V1Pod> {}
/** The type of {@link Pod}. */
export const Pod: ResourceType<Pod> = builtin("v1", "Pod", "pods");

/** A PodTemplate (core v1): a stored template of pods; a workload's own is a {@link PodTemplateSpec}. */
export interface PodTemplate extends NamespacedOf<V1PodTemplate> {}
/** The type of {@link PodTemplate}. */
export const PodTemplate: ResourceType<PodTemplate> = builtin("v1", "PodTemplate", "podtemplates");

/** A ReplicationController (core v1): the predecessor of {@link ReplicaSet}. */
export interface ReplicationController extends NamespacedOf<V1ReplicationController> {}
/** The type of {@link ReplicationController}. */
export const ReplicationController: ResourceType<ReplicationController> = builtin(
  "v1",
  "ReplicationController",
  "replicationcontrollers",
);

/** A ResourceQuota (core v1): what a namespace may use in total. */
export interface ResourceQuota extends NamespacedOf<V1ResourceQuota> {}
/** The type of {@link ResourceQuota}. */
export const ResourceQuota: ResourceType<ResourceQuota> = builtin("v1", "ResourceQuota", "resourcequotas");

/** A Secret (core v1): confidential data; base64 in `data`, plain text in `stringData`, which is write only. */
export interface Secret extends NamespacedOf<V1Secret> {}
/** The type of {@link Secret}. */
export const Secret: ResourceType<Secret> = builtin("v1", "Secret", "secrets");

/** A Service (core v1): a stable address in front of pods. */
export interface Service extends NamespacedOf<V1Service> {}
/** The type of {@link Service}. */
export const Service: ResourceType<Service> = builtin("v1", "Service", "services");

/** A ServiceAccount (core v1): the identity of pods. */
export interface ServiceAccount extends NamespacedOf<V1ServiceAccount> {}
/** The type of {@link ServiceAccount}. */
export const ServiceAccount: ResourceType<ServiceAccount> = builtin(
  "v1",
  "ServiceAccount",
  "serviceaccounts",
);
