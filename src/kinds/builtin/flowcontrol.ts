// Kinds of flowcontrol.apiserver.k8s.io/v1: which requests the API server takes first.
import type { V1FlowSchema } from "@kubernetes/client-node/dist/gen/models/V1FlowSchema.js";
import type { V1PriorityLevelConfiguration } from "@kubernetes/client-node/dist/gen/models/V1PriorityLevelConfiguration.js";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { ClusterScopedOf } from "./json-of.ts";

/** A FlowSchema (flowcontrol.apiserver.k8s.io v1): the requests that belong to a priority level. */
export interface FlowSchema extends ClusterScopedOf<V1FlowSchema> {}
/** The type of {@link FlowSchema}. */
export const FlowSchema: ResourceType<FlowSchema> = builtin(
  "flowcontrol.apiserver.k8s.io/v1",
  "FlowSchema",
  "flowschemas",
  "Cluster",
);

/** A PriorityLevelConfiguration (flowcontrol.apiserver.k8s.io v1): how many requests of a priority level are served at once. */
export interface PriorityLevelConfiguration extends ClusterScopedOf<V1PriorityLevelConfiguration> {}
/** The type of {@link PriorityLevelConfiguration}. */
export const PriorityLevelConfiguration: ResourceType<PriorityLevelConfiguration> = builtin(
  "flowcontrol.apiserver.k8s.io/v1",
  "PriorityLevelConfiguration",
  "prioritylevelconfigurations",
  "Cluster",
);
