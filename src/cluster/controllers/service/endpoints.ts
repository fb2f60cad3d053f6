// Endpoints, the older form of slices, as the controllers here read and write them.
import { builtin } from "../../../kinds/builtin/builtin-type.ts";
import type { Endpoint, EndpointPort } from "../../../kinds/builtin/parts.ts";
import type { NamespacedObject } from "../../../meta/object.ts";

/** One address of a subset. */
export interface EndpointsAddress extends Pick<Endpoint, "hostname" | "nodeName" | "targetRef"> {
  readonly ip: string;
}

/** Addresses with the same ports. */
export interface EndpointsSubset {
  readonly addresses?: readonly EndpointsAddress[];
  readonly notReadyAddresses?: readonly EndpointsAddress[];
  readonly ports?: readonly EndpointPort[];
}

/** An Endpoints object (core v1). */
export interface Endpoints extends NamespacedObject {
  readonly subsets?: readonly EndpointsSubset[];
}

export const Endpoints = builtin<Endpoints>("v1", "Endpoints", "endpoints");

/** The label of a slice that names its Service. */
export const serviceNameLabel = "kubernetes.io/service-name";
/** The label of a slice that names who keeps it. */
export const managedByLabel = "endpointslice.kubernetes.io/managed-by";
