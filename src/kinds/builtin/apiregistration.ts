// Kinds of apiregistration.k8s.io/v1.
import type { V1APIService } from "@kubernetes/client-node/dist/gen/models/V1APIService.js";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { ClusterScopedOf } from "./json-of.ts";

/** An APIService (apiregistration.k8s.io v1): an API group that another server serves. */
export interface APIService extends ClusterScopedOf<V1APIService> {}
/** The type of {@link APIService}. */
export const APIService: ResourceType<APIService> = builtin(
  "apiregistration.k8s.io/v1",
  "APIService",
  "apiservices",
  "Cluster",
);
