// Service: a stable address in front of pods.
import type { NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { WorkloadCondition } from "./workload-condition.ts";

/** A Service (core v1). */
export interface Service extends NamespacedObject {
  readonly spec: ServiceSpec;
  readonly status?: ServiceStatus;
}

/** What a service does. */
export interface ServiceSpec {
  readonly type?: "ClusterIP" | "NodePort" | "LoadBalancer" | "ExternalName";
  /** `None` for a headless service; otherwise assigned by the server and immutable. */
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  readonly externalIPs?: readonly string[];
  readonly externalName?: string;
  readonly externalTrafficPolicy?: "Cluster" | "Local";
  readonly internalTrafficPolicy?: "Cluster" | "Local";
  readonly ipFamilies?: readonly ("IPv4" | "IPv6")[];
  readonly ipFamilyPolicy?: "SingleStack" | "PreferDualStack" | "RequireDualStack";
  readonly loadBalancerClass?: string;
  readonly loadBalancerSourceRanges?: readonly string[];
  readonly ports?: readonly ServicePort[];
  /** True: endpoints are published before their pods are ready. */
  readonly publishNotReadyAddresses?: boolean;
  readonly selector?: Readonly<Record<string, string>>;
  readonly sessionAffinity?: "None" | "ClientIP";
}

/** One port of a service. */
export interface ServicePort {
  /** Required when there are several ports. */
  readonly name?: string;
  readonly port: number;
  /** Number or name of the pods' port; default `port`. */
  readonly targetPort?: number | string;
  readonly protocol?: "TCP" | "UDP" | "SCTP";
  readonly nodePort?: number;
  readonly appProtocol?: string;
}

/** What is observed of a service. */
export interface ServiceStatus {
  readonly conditions?: readonly WorkloadCondition[];
  readonly loadBalancer?: {
    readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[];
  };
}

/** The type of {@link Service}. */
export const Service: ResourceType<Service> = builtin<Service>("v1", "Service", "services");
