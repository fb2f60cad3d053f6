// Ingress: HTTP routes from outside to services.
import type { NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { TypedLocalObjectReference } from "./local-reference.ts";

/** An Ingress (networking.k8s.io v1). */
export interface Ingress extends NamespacedObject {
  readonly spec: {
    readonly ingressClassName?: string;
    readonly defaultBackend?: IngressBackend;
    readonly tls?: readonly { readonly hosts?: readonly string[]; readonly secretName?: string }[];
    readonly rules?: readonly IngressRule[];
  };
  readonly status?: {
    readonly loadBalancer?: {
      readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[];
    };
  };
}

/** The routes of one host. */
export interface IngressRule {
  readonly host?: string;
  readonly http?: { readonly paths: readonly IngressPath[] };
}

/** One route. */
export interface IngressPath {
  readonly path?: string;
  readonly pathType: "Exact" | "Prefix" | "ImplementationSpecific";
  readonly backend: IngressBackend;
}

/** Where a route leads: a service's port, or another object. */
export interface IngressBackend {
  readonly service?: {
    readonly name: string;
    readonly port?: { readonly number?: number; readonly name?: string };
  };
  readonly resource?: TypedLocalObjectReference;
}

/** The type of {@link Ingress}. */
export const Ingress: ResourceType<Ingress> = builtin<Ingress>(
  "networking.k8s.io/v1",
  "Ingress",
  "ingresses",
);
