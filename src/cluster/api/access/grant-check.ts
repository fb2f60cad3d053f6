// Nobody may hand out more rights than he has: who writes a role must hold its rules, or may `escalate`; who binds one must hold the
// rules of the role, or may `bind` it.
// https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping
import { equal } from "../../../schema/json-value.ts";
import { fieldsList, fieldsOf, textOf, type ApiObject } from "../api-object.ts";
import type { ApiUser } from "../requests/users.ts";
import type { ServedType } from "../served-type.ts";
import { forbiddenObject, notFound } from "../status-error.ts";
import type { PolicyRule } from "./access-attributes.ts";
import { readRule, type RbacAuthorizer } from "./rbac-authorizer.ts";

const group = "rbac.authorization.k8s.io";

/** A role or a binding that is to be written. */
export interface GrantingWrite {
  readonly type: ServedType;
  readonly user: ApiUser;
  readonly namespace: string;
}

/** Refuses what hands out rights that its writer does not hold. */
export class GrantCheck {
  readonly #authorizer: RbacAuthorizer;

  constructor(authorizer: RbacAuthorizer) {
    this.#authorizer = authorizer;
  }

  /** Errors: 403; 404 for a binding of a role that is not there. */
  assertHeld(write: GrantingWrite, object: ApiObject, previous: ApiObject | undefined): void {
    const { type, user } = write;
    if (type.group !== group || user.groups.includes("system:masters")) return;
    const isRole = type.plural === "roles" || type.plural === "clusterroles";
    // What garbage collection changes is nobody's grant.
    if (previous !== undefined && equal(withoutLifetime(object), withoutLifetime(previous))) return;
    if (isRole) this.#assertRole(write, object);
    else this.#assertBinding(write, object);
  }

  #assertRole(write: GrantingWrite, object: ApiObject): void {
    const { type } = write;
    const { name } = object.metadata;
    if (this.#may(write, "escalate", type.plural, name)) return;
    const rules = fieldsList(object["rules"]).map(readRule);
    // Whoever gathers rules by labels may come to any.
    const gathered = object["aggregationRule"] === undefined ? [] : everything;
    this.#assertRules(write, name, [...rules, ...gathered]);
  }

  #assertBinding(write: GrantingWrite, object: ApiObject): void {
    const { kind, name } = fieldsOf(object["roleRef"]);
    const isClusterRole = kind === "ClusterRole";
    const plural = isClusterRole ? "clusterroles" : "roles";
    if (this.#may(write, "bind", plural, textOf(name))) return;
    const rules = this.#authorizer.rulesOfRole(isClusterRole ? undefined : write.namespace, textOf(name));
    if (rules === undefined) throw notFound({ group, plural, kind: textOf(kind) }, textOf(name));
    this.#assertRules(write, object.metadata.name, rules);
  }

  #may({ user, namespace }: GrantingWrite, verb: string, plural: string, name: string): boolean {
    const access = { verb, group, plural, subresource: "", name, namespace };
    return this.#authorizer.decide(user, access).allowed;
  }

  #assertRules({ type, user, namespace }: GrantingWrite, name: string, rules: readonly PolicyRule[]): void {
    const { rules: held } = this.#authorizer.rulesFor(user, namespace);
    const missing = rules.flatMap(singleRules).filter((rule) => !held.some((each) => covers(each, rule)));
    if (missing.length === 0) return;
    const groups = `[${user.groups.map((each) => JSON.stringify(each)).join(" ")}]`;
    const listed = [...new Set(compact(missing).map(ruleText))].sort().join("\n");
    const detail = `user ${JSON.stringify(user.name)} (groups=${groups}) is attempting to grant RBAC permissions not currently held:\n${listed}`;
    throw forbiddenObject(type, name, detail);
  }
}

const everything: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"], resourceNames: [], nonResourceURLs: [] },
  { verbs: ["*"], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ["*"] },
];

/** An object without what says how long it is to live, and who owns its fields. */
function withoutLifetime({ metadata, ...content }: ApiObject): unknown {
  const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _fields, ...rest } = metadata;
  return { ...content, metadata: rest };
}

/** A rule as rules of one verb on one resource, or on one path, each. */
function singleRules(rule: PolicyRule): readonly PolicyRule[] {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  const none = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };
  const names = resourceNames.length === 0 ? [[]] : resourceNames.map((name) => [name]);
  return [
    ...apiGroups.flatMap((name) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) =>
          names.map((each) => ({
            ...none,
            verbs: [verb],
            apiGroups: [name],
            resources: [resource],
            resourceNames: each,
          })),
        ),
      ),
    ),
    ...nonResourceURLs.flatMap((url) =>
      verbs.map((verb) => ({ ...none, verbs: [verb], nonResourceURLs: [url] })),
    ),
  ];
}

/** Whether a rule allows what one of a single verb does. */
function covers(held: PolicyRule, single: PolicyRule): boolean {
  const has = (listed: readonly string[], [value = ""]: readonly string[]): boolean =>
    listed.includes("*") || listed.includes(value);
  if (!has(held.verbs, single.verbs)) return false;
  const [url] = single.nonResourceURLs;
  if (url !== undefined) {
    return held.nonResourceURLs.some(
      (each) => each === url || (each.endsWith("*") && url.startsWith(each.slice(0, -1))),
    );
  }
  const [resource = ""] = single.resources;
  const place = resource.slice(resource.indexOf("/"));
  const isHeld =
    has(held.resources, single.resources) || (resource.includes("/") && held.resources.includes(`*${place}`));
  const [name] = single.resourceNames;
  return (
    isHeld &&
    has(held.apiGroups, single.apiGroups) &&
    (held.resourceNames.length === 0 || (name !== undefined && held.resourceNames.includes(name)))
  );
}

/** Rules of one resource become one rule of all their verbs. */
function compact(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const compacted = new Map<string, PolicyRule>();
  const others: PolicyRule[] = [];
  for (const rule of rules) {
    if (rule.nonResourceURLs.length > 0) {
      others.push(rule);
      continue;
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
    const before = compacted.get(key);
    compacted.set(key, before === undefined ? rule : { ...before, verbs: [...before.verbs, ...rule.verbs] });
  }
  return [...others, ...compacted.values()];
}

function ruleText({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  const parts = [
    ["APIGroups", apiGroups],
    ["Resources", resources],
    ["NonResourceURLs", nonResourceURLs],
    ["ResourceNames", resourceNames],
    ["Verbs", verbs],
  ] as const;
  const shown = parts
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => `${name}:[${values.map((each) => JSON.stringify(each)).join(" ")}]`);
  return `{${shown.join(", ")}}`;
}
