// Acting as somebody else: the Impersonate headers of a request, and whether its user may.
// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
import type { IncomingMessage } from "node:http";
import { internalError } from "../status-error.ts";
import type { ApiUser } from "../requests/users.ts";
import type { Access, Authorizer } from "./access-attributes.ts";
import { forbidden } from "./authorize.ts";

const accountPrefix = "system:serviceaccount:";

/**
 * The user on whose behalf a request is carried out, which asks for `target`.
 * Errors: 403; 500 for groups without a user, as the real server has it.
 */
export function actingUser(
  authorizer: Authorizer,
  user: ApiUser,
  request: IncomingMessage,
  target: Access,
): ApiUser {
  const { headers } = request;
  const name = headers["impersonate-user"];
  if (typeof name !== "string" || name === "") {
    if (headers["impersonate-group"] === undefined && headers["impersonate-uid"] === undefined) return user;
    throw internalError("requested [], without impersonating a user");
  }
  const groups = request.headersDistinct["impersonate-group"] ?? [];
  const ask = (
    group: string,
    plural: string,
    object: string,
    place: { readonly namespace?: string; readonly subresource?: string } = {},
  ): void => {
    const { namespace = "", subresource = "" } = place;
    const access = { verb: "impersonate", group, plural, subresource, name: object, namespace };
    const { allowed, reason } = authorizer.decide(user, access);
    // The real server then asks for the narrower rights of newer versions, and names the last of them.
    if (!allowed)
      throw forbidden(user, { ...target, verb: `impersonate-on:${modeOf(name)}:${target.verb}` }, reason);
  };
  if (name.startsWith(accountPrefix)) {
    const [namespace = "", account = ""] = name.slice(accountPrefix.length).split(":");
    ask("", "serviceaccounts", account, { namespace });
  } else ask("", "users", name);
  for (const group of groups) ask("", "groups", group);
  const extra: Record<string, readonly string[]> = {};
  for (const [header, values = []] of Object.entries(request.headersDistinct)) {
    if (!header.startsWith("impersonate-extra-")) continue;
    const key = decodeURIComponent(header.slice("impersonate-extra-".length));
    for (const value of values) ask("authentication.k8s.io", "userextras", value, { subresource: key });
    extra[key] = values;
  }
  const uid = headers["impersonate-uid"];
  if (typeof uid === "string") ask("authentication.k8s.io", "uids", uid);
  return {
    name,
    groups: [...new Set([...(groups.length > 0 ? groups : groupsOf(name)), "system:authenticated"])],
    ...(typeof uid === "string" ? { uid } : {}),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** The groups of a service account, which are known by its name. */
function groupsOf(name: string): readonly string[] {
  if (!name.startsWith(accountPrefix)) return [];
  const [namespace = ""] = name.slice(accountPrefix.length).split(":");
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

/** What kind of user is impersonated, in the words of the newer rights. */
function modeOf(name: string): string {
  if (name.startsWith(accountPrefix)) return "serviceaccount";
  return name.startsWith("system:node:") ? "arbitrary-node" : "user-info";
}
