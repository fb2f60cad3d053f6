// Whether a request is allowed, and the words of the refusal. Without role-based access control every user with a token may do
// everything, and one without a token may ask for health and version.
import { pathSegmentFault } from "../../../meta/name-rules.ts";
import { selectedName } from "../selectors/field-selector.ts";
import { StatusError } from "../status-error.ts";
import type { TypeRegistry } from "../type-registry.ts";
import type { Exchange } from "../requests/exchange.ts";
import type { ResourcePath } from "../requests/request-path.ts";
import { isTrue } from "../options/list-options.ts";
import { httpVerbOf } from "../requests/request-verb.ts";
import { anonymousUser, type ApiUser } from "../requests/users.ts";
import type { Access, Authorizer, Decision } from "./access-attributes.ts";

const open = new Set(["/healthz", "/livez", "/readyz", "/version"]);

/** Lets everyone do everything who has said who he is. */
export const everythingAllowed: Authorizer = {
  decide: (user, access): Decision => ({
    allowed: user.name !== anonymousUser.name || ("path" in access && open.has(access.path)),
    reason: "the embedded cluster allows everything",
  }),
  rulesFor: () => ({
    rules: [
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"], resourceNames: [], nonResourceURLs: [] },
      { verbs: ["*"], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ["*"] },
    ],
    fault: "",
  }),
};

/** What a request asks to be allowed. */
export function accessOf(
  registry: TypeRegistry,
  { method, path: fullPath, query }: Pick<Exchange, "method" | "path" | "query">,
  path: ResourcePath | undefined,
): Access {
  if (path?.plural === undefined) return { verb: method.toLowerCase(), path: fullPath };
  const { group, version, plural, namespace } = path;
  // What follows a subresource, such as the path that a proxy is asked for, is not decided on.
  const [subresource = ""] = (path.subresource ?? "").split("/");
  const isCollection = (path.name ?? "") === "";
  const isWatched = isCollection && isTrue(query.get("watch"));
  const verb = path.watchPrefix ? "watch" : httpVerbOf(method, !isCollection, isWatched);
  const isRead = verb === "list" || verb === "watch";
  // A path of a watch is taken at its word.
  const name = path.name ?? (isRead && !path.watchPrefix ? nameAskedFor(query) : "");
  const isNamespaced = registry.find(group, version, plural)?.namespaced ?? namespace !== "";
  // A Namespace is asked for in itself.
  const isNamespace = group === "" && plural === "namespaces";
  return {
    verb,
    group,
    plural,
    subresource,
    name,
    namespace: isNamespace ? name : isNamespaced ? namespace : "",
  };
}

/** A list or a watch of one object by its name is allowed to who may read that one. */
function nameAskedFor(query: URLSearchParams): string {
  const name = selectedName(query.get("fieldSelector") ?? "") ?? "";
  return pathSegmentFault(name) === undefined ? name : "";
}

/** Refuses what a user may not do. Errors: 403. */
export function assertAllowed(authorizer: Authorizer, user: ApiUser, access: Access): void {
  const { allowed, reason } = authorizer.decide(user, access);
  if (!allowed) throw forbidden(user, access, reason);
}

/** The refusal of something, in Kubernetes' words. */
export function forbidden(user: ApiUser, access: Access, reason: string): StatusError {
  const who = `User ${JSON.stringify(user.name)} cannot`;
  const why = reason.startsWith("RBAC: ") ? `: ${reason}` : "";
  if ("path" in access) {
    const message = `forbidden: ${who} ${access.verb} path ${JSON.stringify(access.path)}${why}`;
    return new StatusError(403, "Forbidden", message, {});
  }
  const { verb, group, plural, subresource, name, namespace } = access;
  const qualified = group === "" ? plural : `${plural}.${group}`;
  const subject = name === "" ? qualified : `${qualified} ${JSON.stringify(name)}`;
  const resource = subresource === "" ? plural : `${plural}/${subresource}`;
  const scope = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return new StatusError(
    403,
    "Forbidden",
    `${subject} is forbidden: ${who} ${verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(group)} ${scope}${why}`,
    { ...(name === "" ? {} : { name }), ...(group === "" ? {} : { group }), kind: plural },
  );
}
