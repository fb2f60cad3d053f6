// What is written to subresources in place of the object itself, as types of their own: read and refused as objects are.
import { createBuiltinType } from "../builtin/builtin-types.ts";
import type { ServedType } from "../served-type.ts";

/** The replicas of an object. */
export const scales = postedType("autoscaling", "io.k8s.api.autoscaling.v1", "Scale");

/** A pod's node. */
export const bindings = postedType("", "io.k8s.api.core.v1", "Binding");

/** The deletion of a pod that budgets are asked about. */
export const evictions = postedType("policy", "io.k8s.api.policy.v1", "Eviction");

/** A token for an account. */
export const tokenRequests = postedType(
  "authentication.k8s.io",
  "io.k8s.api.authentication.v1",
  "TokenRequest",
);

function postedType(group: string, packageName: string, kind: string): ServedType {
  const row = { kind, plural: `${kind.toLowerCase()}s` };
  return createBuiltinType({ group, version: "v1", packageName, row });
}
