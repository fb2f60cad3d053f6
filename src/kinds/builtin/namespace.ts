// Namespace: the scope of names; its deletion deletes everything in it.
import type { ClusterObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { WorkloadCondition } from "./workload-condition.ts";

/** A Namespace (core v1). */
export interface Namespace extends ClusterObject {
  /** `kubernetes` stays here until the content is gone; removed through `/finalize`. */
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: {
    readonly phase?: "Active" | "Terminating";
    readonly conditions?: readonly WorkloadCondition[];
  };
}

/** The type of {@link Namespace}. */
export const Namespace: ResourceType<Namespace> = builtin<Namespace>(
  "v1",
  "Namespace",
  "namespaces",
  "Cluster",
);
