// Kinds of networking.k8s.io/v1.
import type { V1Ingress } from "@kubernetes/client-node/dist/gen/models/V1Ingress.js";
import type { V1IngressClass } from "@kubernetes/client-node/dist/gen/models/V1IngressClass.js";
import type { V1NetworkPolicy } from "@kubernetes/client-node/dist/gen/models/V1NetworkPolicy.js";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { ClusterScopedOf, NamespacedOf } from "./json-of.ts";

/** An Ingress (networking.k8s.io v1): HTTP routes from outside to services. */
export interface Ingress extends NamespacedOf<V1Ingress> {}
/** The type of {@link Ingress}. */
export const Ingress: ResourceType<Ingress> = builtin("networking.k8s.io/v1", "Ingress", "ingresses");

/** An IngressClass (networking.k8s.io v1): the controller that serves an {@link Ingress}. */
export interface IngressClass extends ClusterScopedOf<V1IngressClass> {}
/** The type of {@link IngressClass}. */
export const IngressClass: ResourceType<IngressClass> = builtin(
  "networking.k8s.io/v1",
  "IngressClass",
  "ingressclasses",
  "Cluster",
);

/** A NetworkPolicy (networking.k8s.io v1): which traffic reaches pods and leaves them. */
export interface NetworkPolicy extends NamespacedOf<V1NetworkPolicy> {}
/** The type of {@link NetworkPolicy}. */
export const NetworkPolicy: ResourceType<NetworkPolicy> = builtin(
  "networking.k8s.io/v1",
  "NetworkPolicy",
  "networkpolicies",
);
