// What validating and mutating admission policies have in common: what they are chosen by, what binds them, and the objects that
// parametrize a binding.
import { apiVersionOf } from "../../../meta/resource-type.ts";
import type { Authorizer } from "../access/access-attributes.ts";
import { fieldsList, fieldsOf, isFields, textOf, type ApiObject, type Fields } from "../api-object.ts";
import { fromLabelSelector, matchesLabels } from "../selectors/label-selector.ts";
import type { ServedType } from "../served-type.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { TypeRegistry } from "../type-registry.ts";
import type { AdmissionAttributes } from "./admission-attributes.ts";
import type { MatchCriteria } from "./matching.ts";
import { readRule } from "./webhook-rules.ts";

/** What policies look up. */
export interface PolicySource {
  readonly store: Pick<ObjectStore, "get" | "list">;
  readonly registry: Pick<TypeRegistry, "all" | "ofStorage">;
  readonly authorizer: Authorizer;
}

/** What binds a policy. */
export interface PolicyBinding {
  readonly name: string;
  readonly criteria: MatchCriteria;
  readonly paramRef: Fields | undefined;
}

/** A binding of a policy; undefined: it binds another one. */
export function readBinding(
  { metadata: { name }, ...binding }: ApiObject,
  policy: string,
): PolicyBinding | undefined {
  const { policyName, paramRef, matchResources } = fieldsOf(binding["spec"]);
  if (policyName !== policy) return undefined;
  return {
    name,
    criteria: readCriteria(matchResources),
    paramRef: isFields(paramRef) ? paramRef : undefined,
  };
}

const everything = readRule({ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] });

/** What a policy or a binding is chosen by; one that names no resources leaves that to others. */
export function readCriteria(value: unknown): MatchCriteria {
  const resources = fieldsOf(value);
  const rules = fieldsList(resources["resourceRules"]).map(readRule);
  return {
    rules: rules.length === 0 ? [everything] : rules,
    excluded: fieldsList(resources["excludeResourceRules"]).map(readRule),
    equivalent: resources["matchPolicy"] !== "Exact",
    namespaceSelector: fromLabelSelector(resources["namespaceSelector"]),
    objectSelector: fromLabelSelector(resources["objectSelector"]),
  };
}

/** The namespace of what is written; undefined for what has none, and for a namespace itself. */
export function boundNamespace(
  { store }: PolicySource,
  { type, namespace }: AdmissionAttributes,
): ApiObject | undefined {
  const isNamespace = type.storageKey === "namespaces";
  return isNamespace || namespace === "" ? undefined : store.get("namespaces", undefined, namespace);
}

/** What is wrong with the kind of a policy's parameters; undefined: nothing. */
export function missingParamKind(source: PolicySource, paramKind: Fields | undefined): string | undefined {
  if (paramKind === undefined || paramTypeOf(source, paramKind) !== undefined) return undefined;
  const kind = `${textOf(paramKind["apiVersion"])}, Kind=${textOf(paramKind["kind"])}`;
  return `failed to configure policy: failed to find resource referenced by paramKind: '${kind}'`;
}

/** The objects that parametrize a binding, null for none; a text says what is wrong. */
export function collectParams(
  source: PolicySource,
  paramKind: Fields | undefined,
  { paramRef }: PolicyBinding,
  ownNamespace: string,
): readonly (ApiObject | null)[] | string {
  if (paramKind === undefined || paramRef === undefined) return [null];
  const type = paramTypeOf(source, paramKind);
  if (type === undefined) return [];
  const given = textOf(paramRef["namespace"]);
  if (given !== "" && !type.namespaced) {
    return "paramRef.namespace must not be provided for a cluster-scoped `paramKind`";
  }
  const namespace = given === "" ? ownNamespace : given;
  if (type.namespaced && namespace === "") {
    return "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
  }
  const found = findParams(source.store, type, paramRef, type.namespaced ? namespace : undefined);
  if (found.length === 0 && paramRef["parameterNotFoundAction"] === "Deny") {
    return "no params found for policy binding with `Deny` parameterNotFoundAction";
  }
  return found;
}

function paramTypeOf({ registry }: PolicySource, { apiVersion, kind }: Fields): ServedType | undefined {
  return registry.all().find((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
}

function findParams(
  store: PolicySource["store"],
  type: ServedType,
  { name, selector }: Fields,
  namespace: string | undefined,
): readonly ApiObject[] {
  if (textOf(name) !== "") {
    const found = store.get(type.storageKey, namespace, textOf(name));
    return found === undefined ? [] : [type.fromStorage(found)];
  }
  const requirements = fromLabelSelector(selector);
  return store
    .list(type.storageKey)
    .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace)
    .filter(({ metadata }) => matchesLabels(requirements, metadata.labels))
    .map((each) => type.fromStorage(each));
}
