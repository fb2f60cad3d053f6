// Kinds of scheduling.k8s.io/v1.
import type { V1PriorityClass } from "@kubernetes/client-node/dist/gen/models/V1PriorityClass.js";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { ClusterScopedOf } from "./json-of.ts";

/** A PriorityClass (scheduling.k8s.io v1): how important pods are. */
export interface PriorityClass extends ClusterScopedOf<V1PriorityClass> {}
/** The type of {@link PriorityClass}. */
export const PriorityClass: ResourceType<PriorityClass> = builtin(
  "scheduling.k8s.io/v1",
  "PriorityClass",
  "priorityclasses",
  "Cluster",
);
