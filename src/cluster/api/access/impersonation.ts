// Acting as somebody else: the Impersonate headers of a request, and whether its user may.
// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
import type { IncomingMessage } from "node:http";
import { badRequest } from "../status-error.ts";
import { anonymousUser, type ApiUser } from "../requests/users.ts";
import type { Access, Authorizer } from "./access-attributes.ts";
import { forbidden } from "./authorize.ts";

const accountPrefix = "system:serviceaccount:";

/**
 * The user on whose behalf a request is carried out, which asks for `target`.
 * Errors: 403; 400 for anything of a user without his name.
 */
export function actingUser(
  authorizer: Authorizer,
  user: ApiUser,
  request: IncomingMessage,
  target: Access,
): ApiUser {
  const {
    "impersonate-user": [name = ""] = [],
    "impersonate-group": groups = [],
    "impersonate-uid": [uid = ""] = [],
  } = request.headersDistinct;
  const extra = extraOf(request);
  if (name === "") {
    if (groups.length === 0 && uid === "" && extra.size === 0) return user;
    throw badRequest(
      `requested &user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${goList(groups)}, Extra:${goMap(extra)}} without impersonating a user name`,
    );
  }
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
  const account = accountOf(name);
  if (account === undefined) ask("", "users", name);
  else ask("", "serviceaccounts", account.name, account);
  for (const group of groups) ask("", "groups", group);
  for (const [key, values] of extra) {
    for (const value of values) ask("authentication.k8s.io", "userextras", value, { subresource: key });
  }
  if (uid !== "") ask("authentication.k8s.io", "uids", uid);
  return {
    name,
    groups: withStanding(name, groups.length > 0 ? groups : groupsOf(name)),
    ...(uid === "" ? {} : { uid }),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

/** What else is said of the user: one key may be in several headers. */
function extraOf({ headersDistinct }: IncomingMessage): ReadonlyMap<string, readonly string[]> {
  const extra = new Map<string, readonly string[]>();
  for (const [header, values = []] of Object.entries(headersDistinct)) {
    if (!header.startsWith("impersonate-extra-")) continue;
    const key = unescaped(header.slice("impersonate-extra-".length));
    extra.set(key, [...(extra.get(key) ?? []), ...values]);
  }
  return extra;
}

/** What cannot be decoded is taken as it is. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** The groups, with the one of whoever is known, or of whoever is not: unless they say already which of both he is. */
function withStanding(name: string, groups: readonly string[]): readonly string[] {
  const [unknown, known] = ["system:unauthenticated", "system:authenticated"];
  if (name === anonymousUser.name) return groups.includes(unknown) ? groups : [...groups, unknown];
  return groups.includes(known) || groups.includes(unknown) ? groups : [...groups, known];
}

/** The groups of a service account, which are known by its name. */
function groupsOf(name: string): readonly string[] {
  const account = accountOf(name);
  if (account === undefined) return [];
  return ["system:serviceaccounts", `system:serviceaccounts:${account.namespace}`];
}

/** The service account that a user's name is of. */
function accountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(accountPrefix)) return undefined;
  const [namespace = "", name, ...rest] = user.slice(accountPrefix.length).split(":");
  return name === undefined || rest.length > 0 ? undefined : { namespace, name };
}

/** What kind of user is impersonated, in the words of the newer rights. */
function modeOf(name: string): string {
  if (accountOf(name) !== undefined) return "serviceaccount";
  return name.startsWith("system:node:") ? "arbitrary-node" : "user-info";
}

/** Texts as Go prints them. */
function goList(texts: readonly string[]): string {
  if (texts.length === 0) return "[]string(nil)";
  return `[]string{${texts.map((text) => JSON.stringify(text)).join(", ")}}`;
}

function goMap(texts: ReadonlyMap<string, readonly string[]>): string {
  if (texts.size === 0) return "map[string][]string(nil)";
  const keys = [...texts.keys()].sort();
  const items = keys.map((key) => `${JSON.stringify(key)}:${goList(texts.get(key) ?? [])}`);
  return `map[string][]string{${items.join(", ")}}`;
}
