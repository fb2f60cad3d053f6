// What is written to subresources in place of the object itself, as types of their own: read and refused as objects are.
import { createBuiltinType } from "../builtin/builtin-types.ts";

/** The replicas of an object. */
export const scales = createBuiltinType({
  group: "autoscaling",
  version: "v1",
  packageName: "io.k8s.api.autoscaling.v1",
  row: { kind: "Scale", plural: "scales" },
});

/** A pod's node. */
export const bindings = createBuiltinType({
  group: "",
  version: "v1",
  packageName: "io.k8s.api.core.v1",
  row: { kind: "Binding", plural: "bindings" },
});

/** The deletion of a pod that budgets are asked about. */
export const evictions = createBuiltinType({
  group: "policy",
  version: "v1",
  packageName: "io.k8s.api.policy.v1",
  row: { kind: "Eviction", plural: "evictions" },
});

/** A token for an account. */
export const tokenRequests = createBuiltinType({
  group: "authentication.k8s.io",
  version: "v1",
  packageName: "io.k8s.api.authentication.v1",
  row: { kind: "TokenRequest", plural: "tokenrequests" },
});
