// NetworkPolicy: who may talk to whom.
import type { NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { LabelSelector } from "./label-selector.ts";

/** A NetworkPolicy (networking.k8s.io v1). */
export interface NetworkPolicy extends NamespacedObject {
  readonly spec: {
    readonly podSelector?: LabelSelector;
    readonly policyTypes?: readonly ("Ingress" | "Egress")[];
    readonly ingress?: readonly {
      readonly from?: readonly NetworkPeer[];
      readonly ports?: readonly NetworkPort[];
    }[];
    readonly egress?: readonly {
      readonly to?: readonly NetworkPeer[];
      readonly ports?: readonly NetworkPort[];
    }[];
  };
}

/** The other side of allowed traffic. */
export interface NetworkPeer {
  readonly podSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

/** A port, or a range up to `endPort`. */
export interface NetworkPort {
  readonly protocol?: "TCP" | "UDP" | "SCTP";
  readonly port?: number | string;
  readonly endPort?: number;
}

/** The type of {@link NetworkPolicy}. */
export const NetworkPolicy: ResourceType<NetworkPolicy> = builtin<NetworkPolicy>(
  "networking.k8s.io/v1",
  "NetworkPolicy",
  "networkpolicies",
);
