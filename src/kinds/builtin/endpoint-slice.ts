// EndpointSlice: the addresses behind a service.
import type { NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { ObjectReference } from "./local-reference.ts";

/** An EndpointSlice (discovery.k8s.io v1); the label `kubernetes.io/service-name` names its service. */
export interface EndpointSlice extends NamespacedObject {
  readonly addressType: "IPv4" | "IPv6" | "FQDN";
  readonly endpoints: readonly Endpoint[];
  readonly ports?: readonly EndpointPort[];
}

/** One backend. */
export interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions?: {
    readonly ready?: boolean;
    readonly serving?: boolean;
    readonly terminating?: boolean;
  };
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: ObjectReference;
  readonly zone?: string;
}

/** One port of all backends. */
export interface EndpointPort {
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: "TCP" | "UDP" | "SCTP";
  readonly appProtocol?: string;
}

/** The type of {@link EndpointSlice}. */
export const EndpointSlice: ResourceType<EndpointSlice> = builtin<EndpointSlice>(
  "discovery.k8s.io/v1",
  "EndpointSlice",
  "endpointslices",
);
