// The scopes of the expressions of admission: which variables there are, and of which types.
import { createCelEnvironment } from "../../../schema/cel/cel-environment.ts";
import { declareType } from "../../../schema/cel/cel-type.ts";
import type { CelEnvironment } from "../../../schema/cel/compile-expression.ts";
import type { StructuralSchema } from "../../../schema/structural-schema.ts";
import type { ApiObject, Fields } from "../api-object.ts";
import { registerAuthorizer } from "./authorizer-expressions.ts";
import { declareNamespace } from "./namespace-expressions.ts";

const text: StructuralSchema = { type: "string" };
const anything: StructuralSchema = { "x-kubernetes-int-or-string": true };
const record = (properties: Record<string, StructuralSchema>): StructuralSchema => ({
  type: "object",
  properties,
});
const kind = record({ group: text, version: text, kind: text });
const resource = record({ group: text, version: text, resource: text });
const requestSchema = record({
  kind,
  resource,
  subResource: text,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: text,
  name: text,
  namespace: text,
  operation: text,
  userInfo: record({
    username: text,
    uid: text,
    groups: { type: "array", items: text },
    extra: { type: "object", additionalProperties: { type: "array", items: text } },
  }),
  dryRun: { type: "boolean" },
  options: anything,
});

/** How Kubernetes calls records that are declared here by the place where they stand. */
export const recordNames: Readonly<Record<string, string>> = {
  "kubernetes.AdmissionRequest.kind": "kubernetes.GroupVersionKind",
  "kubernetes.AdmissionRequest.requestKind": "kubernetes.GroupVersionKind",
  "kubernetes.AdmissionRequest.resource": "kubernetes.GroupVersionResource",
  "kubernetes.AdmissionRequest.requestResource": "kubernetes.GroupVersionResource",
  "kubernetes.AdmissionRequest.userInfo": "kubernetes.UserInfo",
  "kubernetes.Namespace.metadata": "kubernetes.NamespaceMetadata",
  "kubernetes.Namespace.spec": "kubernetes.NamespaceSpec",
  "kubernetes.Namespace.status": "kubernetes.NamespaceStatus",
  "kubernetes.Namespace.status.conditions.item": "kubernetes.NamespaceCondition",
  "kubernetes.authorization.RequestAuthorizer": "kubernetes.authorization.Authorizer",
};

/** The types of what is written and of what parametrizes it. */
export interface ObjectTypes {
  /** Absent: anything. */
  readonly object?: StructuralSchema | undefined;
  readonly params?: StructuralSchema | undefined;
}

/** What expressions of admission may speak about, without parameters and variables of a policy. */
export interface AdmissionScope {
  /** That of messages, which say nothing of what somebody may do. */
  readonly messages: CelEnvironment;
  readonly conditions: CelEnvironment;
  /** The type of parameters. */
  readonly paramsType: string;
  readonly toRequest: (request: Fields) => unknown;
  /** What `namespaceObject` is in a namespace; null in none. */
  readonly toNamespace: (namespace: ApiObject | undefined) => unknown;
}

/** The scope of objects of these types. */
export function createAdmissionScope(types: ObjectTypes = {}): AdmissionScope {
  const messages = createCelEnvironment();
  // Its fields are called what they are called, also where that is a word of CEL.
  const request = declareType(messages, requestSchema, "kubernetes.AdmissionRequest", (field) => [field]);
  messages.registerVariable("request", "kubernetes.AdmissionRequest");
  const typeOf = (schema: StructuralSchema | undefined, name: string): string =>
    (schema === undefined ? undefined : declareType(messages, schema, name)?.name) ?? "dyn";
  const objectType = typeOf(types.object, "object");
  for (const name of ["object", "oldObject"]) messages.registerVariable(name, objectType);
  const toNamespace = declareNamespace(messages);
  const paramsType = typeOf(types.params, "params");
  const conditions = messages.clone();
  registerAuthorizer(conditions);
  return {
    messages,
    conditions,
    paramsType,
    toRequest: (value) => request?.toCel(value),
    toNamespace,
  };
}
