// Role-based access control: what the roles that are bound to a user allow. Reads roles and bindings as they are stored now.
// https://kubernetes.io/docs/reference/access-authn-authz/rbac/
import { fieldsList, fieldsOf, listOf, textOf, type ApiObject, type Fields } from "../api-object.ts";
import type { ApiUser } from "../requests/users.ts";
import { fromLabelSelector, matchesLabels } from "../selectors/label-selector.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type {
  Access,
  Authorizer,
  Decision,
  ListedRules,
  PathAccess,
  PolicyRule,
  ResourceAccess,
} from "./access-attributes.ts";

const group = "rbac.authorization.k8s.io";

/** The rules that one binding gives to a user. */
export interface BoundRules {
  readonly rules: readonly PolicyRule[];
  /** Why they hold, as Kubernetes says it. */
  readonly reason: string;
}

/** The authorizer of a storage. */
export class RbacAuthorizer implements Authorizer {
  readonly #store: Pick<ObjectStore, "get" | "list">;

  constructor(store: Pick<ObjectStore, "get" | "list">) {
    this.#store = store;
  }

  decide(user: ApiUser, access: Access): Decision {
    if (user.groups.includes("system:masters")) return { allowed: true, reason: "" };
    const missing: string[] = [];
    const namespace = "path" in access ? "" : access.namespace;
    for (const { rules, reason } of this.rulesOf(user, namespace, missing)) {
      if (rules.some((rule) => allows(rule, access))) return { allowed: true, reason };
    }
    return { allowed: false, reason: missing.length === 0 ? "" : `RBAC: ${faultsText(missing)}` };
  }

  /** All rules that are bound to a user in a namespace. */
  rulesFor(user: ApiUser, namespace: string): ListedRules {
    const missing: string[] = [];
    const rules = [...this.rulesOf(user, namespace, missing)].flatMap((bound) => bound.rules);
    return { rules, fault: faultsText(missing) };
  }

  /** The rules of a role, or of a cluster role, which has no namespace; undefined: there is none of that name. */
  rulesOfRole(namespace: string | undefined, name: string): readonly PolicyRule[] | undefined {
    const plural = namespace === undefined ? "clusterroles" : "roles";
    const role = this.#store.get(`${plural}.${group}`, namespace, name);
    return role === undefined ? undefined : this.#rules(role);
  }

  /** What is bound to a user, in a namespace and at the cluster scope; roles that are not there are named in `missing`. */
  *rulesOf(user: ApiUser, namespace: string, missing: string[]): Generator<BoundRules> {
    for (const binding of this.#store.list(`clusterrolebindings.${group}`)) {
      yield* this.#bound(binding, user, missing);
    }
    if (namespace === "") return;
    for (const binding of this.#store.list(`rolebindings.${group}`)) {
      if (binding.metadata.namespace === namespace) yield* this.#bound(binding, user, missing);
    }
  }

  *#bound(binding: ApiObject, user: ApiUser, missing: string[]): Generator<BoundRules> {
    const { namespace } = binding.metadata;
    const subject = fieldsList(binding["subjects"]).find((each) => isSubject(each, user, namespace ?? ""));
    if (subject === undefined) return;
    const { kind, name } = fieldsOf(binding["roleRef"]);
    const isClusterRole = kind === "ClusterRole";
    const role = isClusterRole
      ? this.#store.get(`clusterroles.${group}`, undefined, textOf(name))
      : this.#store.get(`roles.${group}`, namespace, textOf(name));
    if (role === undefined) {
      missing.push(`${textOf(kind).toLowerCase()}.${group} ${JSON.stringify(name)} not found`);
      return;
    }
    const { name: bindingName } = binding.metadata;
    const named = namespace === undefined ? bindingName : `${bindingName}/${namespace}`;
    const bound = namespace === undefined ? "ClusterRoleBinding" : "RoleBinding";
    const who =
      subject["kind"] === "ServiceAccount"
        ? `${textOf(subject["name"])}/${textOf(subject["namespace"])}`
        : subject["name"];
    yield {
      rules: this.#rules(role),
      reason: `RBAC: allowed by ${bound} ${JSON.stringify(named)} of ${textOf(kind)} ${JSON.stringify(name)} to ${textOf(subject["kind"])} ${JSON.stringify(who)}`,
    };
  }

  /** The rules of a role; those of an aggregated one are those of the roles that it selects, whether they have been filled in or not. */
  #rules(role: ApiObject): readonly PolicyRule[] {
    const selectors = fieldsList(fieldsOf(role["aggregationRule"])["clusterRoleSelectors"]);
    const selected = this.#store
      .list(`clusterroles.${group}`)
      .filter(
        (other) =>
          other !== role &&
          selectors.some((selector) => matchesLabels(fromLabelSelector(selector), other.metadata.labels)),
      );
    if (selected.length === 0) return fieldsList(role["rules"]).map(readRule);
    return selected.flatMap((other) => this.#rules(other));
  }
}

/** Faults as Go puts them together: each once, several in brackets. */
function faultsText(faults: readonly string[]): string {
  const texts = [...new Set(faults)];
  return texts.length > 1 ? `[${texts.join(", ")}]` : texts.join("");
}

/** Reads a rule. */
export function readRule(rule: Fields): PolicyRule {
  const texts = (name: string): readonly string[] => listOf(rule[name]).map(String);
  return {
    verbs: texts("verbs"),
    apiGroups: texts("apiGroups"),
    resources: texts("resources"),
    resourceNames: texts("resourceNames"),
    nonResourceURLs: texts("nonResourceURLs"),
  };
}

function isSubject({ kind, name, namespace }: Fields, user: ApiUser, bindingNamespace: string): boolean {
  switch (kind) {
    case "User":
      return name === user.name;
    case "Group":
      return user.groups.includes(textOf(name));
    case "ServiceAccount": {
      const home = textOf(namespace) === "" ? bindingNamespace : textOf(namespace);
      return user.name === `system:serviceaccount:${home}:${textOf(name)}`;
    }
    default:
      return false;
  }
}

/** Whether a rule allows something. */
export function allows(rule: PolicyRule, access: Access): boolean {
  return "path" in access ? allowsPath(rule, access) : allowsResource(rule, access);
}

function allowsResource(
  rule: PolicyRule,
  { verb, group: name, plural, subresource, name: object }: ResourceAccess,
): boolean {
  const resource = subresource === "" ? plural : `${plural}/${subresource}`;
  return (
    has(rule.verbs, verb) &&
    has(rule.apiGroups, name) &&
    (has(rule.resources, resource) || (subresource !== "" && rule.resources.includes(`*/${subresource}`))) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(object))
  );
}

function allowsPath({ verbs, nonResourceURLs }: PolicyRule, { verb, path }: PathAccess): boolean {
  if (!has(verbs, verb)) return false;
  return nonResourceURLs.some(
    (url) => url === "*" || url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1))),
  );
}

function has(listed: readonly string[], value: string): boolean {
  return listed.includes("*") || listed.includes(value);
}
