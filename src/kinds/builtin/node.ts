// Kinds of node.k8s.io/v1.
import type { V1RuntimeClass } from "@kubernetes/client-node/dist/gen/models/V1RuntimeClass.js";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { ClusterScopedOf } from "./json-of.ts";

/** A RuntimeClass (node.k8s.io v1): a container runtime that pods can ask for. */
export interface RuntimeClass extends ClusterScopedOf<V1RuntimeClass> {}
/** The type of {@link RuntimeClass}. */
export const RuntimeClass: ResourceType<RuntimeClass> = builtin(
  "node.k8s.io/v1",
  "RuntimeClass",
  "runtimeclasses",
  "Cluster",
);
