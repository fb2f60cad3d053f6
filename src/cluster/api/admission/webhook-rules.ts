// Which writes a rule of a webhook or a policy is about. Pure.
import { listOf, textOf, type Fields } from "../api-object.ts";
import type { Operation } from "./admission-attributes.ts";

/** The part of a rule that matching reads. */
export interface AdmissionRule {
  readonly operations: readonly string[];
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly scope: string;
  /** Absent: every name. */
  readonly resourceNames: readonly string[];
}

/** What a rule is held against. */
export interface RuleSubject {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly subresource: string | undefined;
  readonly operation: Operation;
  readonly namespace: string;
  readonly name: string;
}

/** Reads the rule of a configuration. */
export function readRule(rule: Fields): AdmissionRule {
  const texts = (name: string): readonly string[] => listOf(rule[name]).map(String);
  return {
    operations: texts("operations"),
    apiGroups: texts("apiGroups"),
    apiVersions: texts("apiVersions"),
    resources: texts("resources"),
    scope: textOf(rule["scope"]),
    resourceNames: texts("resourceNames"),
  };
}

/** Whether a rule is about a resource, whatever is done to it. */
export function isAboutResource(
  { apiGroups, resources }: AdmissionRule,
  { group, plural, subresource = "" }: Pick<RuleSubject, "group" | "plural" | "subresource">,
): boolean {
  return hasOrAll(apiGroups, group) && resources.some((each) => matchesResource(each, plural, subresource));
}

/** Whether a rule is about a write. */
export function matchesRule(rule: AdmissionRule, subject: RuleSubject): boolean {
  const { operation, version, name } = subject;
  return (
    isAboutResource(rule, subject) &&
    hasOrAll(rule.operations, operation) &&
    hasOrAll(rule.apiVersions, version) &&
    matchesScope(rule.scope, subject) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(name))
  );
}

function hasOrAll(listed: readonly string[], value: string): boolean {
  return listed.includes("*") || listed.includes(value);
}

function matchesResource(pattern: string, plural: string, subresource: string): boolean {
  const slash = pattern.indexOf("/");
  const [resource, place] = slash < 0 ? [pattern, ""] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
  return (resource === "*" || resource === plural) && (place === "*" || place === subresource);
}

function matchesScope(scope: string, { group, plural, namespace }: RuleSubject): boolean {
  if (scope === "" || scope === "*") return true;
  // A Namespace is known by its own name, and belongs to none.
  const isNamespaced = namespace !== "" && !(group === "" && plural === "namespaces");
  return scope === "Namespaced" ? isNamespaced : !isNamespaced;
}
