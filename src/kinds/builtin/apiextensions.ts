// Kinds of apiextensions.k8s.io/v1. A CustomResourceDefinition is made by ../crd.ts and served by the embedded cluster.
import type { V1CustomResourceColumnDefinition } from "@kubernetes/client-node/dist/gen/models/V1CustomResourceColumnDefinition.js";
import type { V1CustomResourceDefinition } from "@kubernetes/client-node/dist/gen/models/V1CustomResourceDefinition.js";
import type { V1CustomResourceSubresourceScale } from "@kubernetes/client-node/dist/gen/models/V1CustomResourceSubresourceScale.js";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { ClusterScopedOf, JsonOf } from "./json-of.ts";

/** A CustomResourceDefinition (apiextensions.k8s.io v1): a kind that the API server is to serve, named `plural.group`. */
export interface CustomResourceDefinition extends ClusterScopedOf<V1CustomResourceDefinition> {}
/** The type of {@link CustomResourceDefinition}. */
export const CustomResourceDefinition: ResourceType<CustomResourceDefinition> = builtin(
  "apiextensions.k8s.io/v1",
  "CustomResourceDefinition",
  "customresourcedefinitions",
  "Cluster",
);

/** One column of `kubectl get`. */
export interface PrinterColumn extends JsonOf<V1CustomResourceColumnDefinition> {
  /** How the value is shown and sorted; a date as an age. */
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
}

/** Where the scale subresource finds its numbers: JSON paths such as `.spec.replicas`. */
export type ScaleSubresource = JsonOf<V1CustomResourceSubresourceScale>;
