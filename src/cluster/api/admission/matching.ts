// Whether a webhook or a policy has anything to do with a write: its rules, its selectors, and in which version it sees the object.
import { fieldsOf, isFields, type Fields } from "../api-object.ts";
import { matchesLabels, type LabelRequirement } from "../selectors/label-selector.ts";
import type { ServedType } from "../served-type.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { TypeRegistry } from "../type-registry.ts";
import type { AdmissionAttributes } from "./admission-attributes.ts";
import { matchesRule, type AdmissionRule, type RuleSubject } from "./webhook-rules.ts";

/** What webhooks and policies are chosen by. */
export interface MatchCriteria {
  readonly rules: readonly AdmissionRule[];
  /** Writes that the rules would match and that are left out all the same. */
  readonly excluded: readonly AdmissionRule[];
  /** Whether rules that name another version of the same type count too. */
  readonly equivalent: boolean;
  readonly namespaceSelector: readonly LabelRequirement[];
  readonly objectSelector: readonly LabelRequirement[];
}

/** What matching looks up. */
export interface MatchSource {
  readonly store: Pick<ObjectStore, "get">;
  readonly registry: Pick<TypeRegistry, "ofStorage">;
}

/** The version of the type in which a match sees the write; undefined: it is no match. */
export function matchedType(
  source: MatchSource,
  criteria: MatchCriteria,
  attributes: AdmissionAttributes,
): ServedType | undefined {
  if (!matchesNamespace(source, criteria.namespaceSelector, attributes)) return undefined;
  if (!matchesObject(criteria.objectSelector, attributes)) return undefined;
  if (
    criteria.excluded.length > 0 &&
    typeOfRules(source, criteria.excluded, criteria, attributes) !== undefined
  ) {
    return undefined;
  }
  return typeOfRules(source, criteria.rules, criteria, attributes);
}

function typeOfRules(
  { registry }: MatchSource,
  rules: readonly AdmissionRule[],
  { equivalent }: MatchCriteria,
  attributes: AdmissionAttributes,
): ServedType | undefined {
  const { type } = attributes;
  const matches = (candidate: ServedType): boolean =>
    rules.some((rule) => matchesRule(rule, subjectOf(candidate, attributes)));
  if (matches(type)) return type;
  if (!equivalent) return undefined;
  return registry.ofStorage(type.storageKey).find((other) => other !== type && matches(other));
}

function subjectOf(
  { group, version, plural }: ServedType,
  { subresource, operation, namespace, name }: AdmissionAttributes,
): RuleSubject {
  return { group, version, plural, subresource, operation, namespace, name };
}

function matchesNamespace(
  { store }: MatchSource,
  selector: readonly LabelRequirement[],
  { type, subresource, namespace, operation, object }: AdmissionAttributes,
): boolean {
  if (selector.length === 0 || namespace === "") return true;
  const isItself = type.storageKey === "namespaces" && subresource === undefined;
  const isWritten = operation === "CREATE" || operation === "UPDATE";
  const found = isItself && isWritten ? object : store.get("namespaces", undefined, namespace);
  return matchesLabels(selector, labelsOf(found));
}

function matchesObject(
  selector: readonly LabelRequirement[],
  { object, oldObject }: AdmissionAttributes,
): boolean {
  if (selector.length === 0) return true;
  return [object, oldObject].some(
    (each) => isFields(each?.["metadata"]) && matchesLabels(selector, labelsOf(each)),
  );
}

function labelsOf(object: Fields | undefined): Record<string, string> {
  return fieldsOf(fieldsOf(object?.["metadata"])["labels"]) as Record<string, string>;
}
