// The subresources to which wrong values are sent: parts of an object, or something of their own.
import { builtinSchema } from "../../../src/cluster/api/builtin/builtin-schemas.ts";
import type { StructuralSchema } from "../../../src/schema/structural-schema.ts";
import type { Body } from "../api-server/raw-request.ts";

/** A part of an object that has a path of its own. */
export interface WrittenPart {
  readonly plural: string;
  readonly subresource: string;
  /** The only field at the top that is changed. */
  readonly only: string;
  /** How the fields begin that are changed, of those below it; default all. */
  readonly below?: string;
}

const withStatus = (
  "pods services namespaces nodes resourcequotas persistentvolumes persistentvolumeclaims replicationcontrollers deployments " +
  "replicasets statefulsets daemonsets jobs cronjobs ingresses servicecidrs poddisruptionbudgets volumeattachments flowschemas " +
  "prioritylevelconfigurations resourceclaims horizontalpodautoscalers certificatesigningrequests validatingadmissionpolicies " +
  "apiservices customresourcedefinitions"
).split(" ");

/** All of them. */
export const writtenParts: readonly WrittenPart[] = [
  ...withStatus.map((plural) => ({ plural, subresource: "status", only: "status" })),
  { plural: "certificatesigningrequests", subresource: "approval", only: "status" },
  { plural: "namespaces", subresource: "finalize", only: "spec" },
  { plural: "pods", subresource: "ephemeralcontainers", only: "spec", below: "spec.ephemeralContainers" },
  { plural: "pods", subresource: "resize", only: "spec", below: "spec.containers[0].res" },
  { plural: "pods", subresource: "resize", only: "spec", below: "spec.initContainers[0].res" },
  { plural: "pods", subresource: "resize", only: "spec", below: "spec.resources" },
];

/** Something that is posted to an object, or that stands for it. */
export interface PostedKind {
  readonly plural: string;
  readonly subresource: string;
  readonly method: "POST" | "PUT";
  readonly schema: StructuralSchema;
  readonly right: Body;
}

const named = { metadata: { name: "one" } };
const scale = (plural: string): PostedKind => ({
  plural,
  subresource: "scale",
  method: "PUT",
  schema: builtinSchema("io.k8s.api.autoscaling.v1.Scale"),
  right: { ...named, spec: { replicas: 1 } },
});

/** All of them. */
export const postedKinds: readonly PostedKind[] = [
  scale("deployments"),
  scale("replicasets"),
  scale("statefulsets"),
  scale("replicationcontrollers"),
  {
    plural: "pods",
    subresource: "eviction",
    method: "POST",
    schema: builtinSchema("io.k8s.api.policy.v1.Eviction"),
    right: named,
  },
  {
    plural: "pods",
    subresource: "binding",
    method: "POST",
    schema: builtinSchema("io.k8s.api.core.v1.Binding"),
    right: { ...named, target: { kind: "Node", name: "n" } },
  },
  {
    plural: "serviceaccounts",
    subresource: "token",
    method: "POST",
    schema: builtinSchema("io.k8s.api.authentication.v1.TokenRequest"),
    right: { spec: {} },
  },
];
