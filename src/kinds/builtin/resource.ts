// Kinds of resource.k8s.io/v1: devices that pods request.
import type { V1DeviceClass } from "@kubernetes/client-node/dist/gen/models/V1DeviceClass.js";
import type { ResourceV1ResourceClaim } from "@kubernetes/client-node/dist/gen/models/ResourceV1ResourceClaim.js";
import type { V1ResourceClaimTemplate } from "@kubernetes/client-node/dist/gen/models/V1ResourceClaimTemplate.js";
import type { V1ResourceSlice } from "@kubernetes/client-node/dist/gen/models/V1ResourceSlice.js";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { ClusterScopedOf, NamespacedOf } from "./json-of.ts";

/** A DeviceClass (resource.k8s.io v1): devices that can be requested by one name. */
export interface DeviceClass extends ClusterScopedOf<V1DeviceClass> {}
/** The type of {@link DeviceClass}. */
export const DeviceClass: ResourceType<DeviceClass> = builtin(
  "resource.k8s.io/v1",
  "DeviceClass",
  "deviceclasses",
  "Cluster",
);

/** A ResourceClaim (resource.k8s.io v1): a request for devices. */
export interface ResourceClaim extends NamespacedOf<ResourceV1ResourceClaim> {}
/** The type of {@link ResourceClaim}. */
export const ResourceClaim: ResourceType<ResourceClaim> = builtin(
  "resource.k8s.io/v1",
  "ResourceClaim",
  "resourceclaims",
);

/** A ResourceClaimTemplate (resource.k8s.io v1): the claim that is made for each pod. */
export interface ResourceClaimTemplate extends NamespacedOf<V1ResourceClaimTemplate> {}
/** The type of {@link ResourceClaimTemplate}. */
export const ResourceClaimTemplate: ResourceType<ResourceClaimTemplate> = builtin(
  "resource.k8s.io/v1",
  "ResourceClaimTemplate",
  "resourceclaimtemplates",
);

/** A ResourceSlice (resource.k8s.io v1): devices that a driver offers. */
export interface ResourceSlice extends ClusterScopedOf<V1ResourceSlice> {}
/** The type of {@link ResourceSlice}. */
export const ResourceSlice: ResourceType<ResourceSlice> = builtin(
  "resource.k8s.io/v1",
  "ResourceSlice",
  "resourceslices",
  "Cluster",
);
