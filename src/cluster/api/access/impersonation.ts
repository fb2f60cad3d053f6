// Acting as somebody else: the Impersonate headers of a request, and whether its user may.
// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
import type { IncomingMessage } from "node:http";
import { labelNameFault, subdomainFault } from "../../../meta/name-rules.ts";
import { badRequest, type StatusError } from "../status-error.ts";
import { accountGroups, anonymousUser, type ApiUser } from "../requests/users.ts";
import type { Access, Authorizer } from "./access-attributes.ts";
import { forbidden } from "./authorize.ts";

const accountPrefix = "system:serviceaccount:";
const nodePrefix = "system:node:";

/** Whom somebody acts as. */
interface ActedAs {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid: string;
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/**
 * In which way one may be allowed to act as somebody: by the plain right, or by narrower ones, which are to a kind of user and to what is
 * asked for on his behalf.
 */
type Mode = "plain" | "arbitrary-node" | "serviceaccount" | "user-info";

/** Finds on whose behalf requests are carried out. */
export class Impersonation {
  readonly #authorizer: Authorizer;
  /** In which way users were allowed last, by their names: it is asked for first. */
  readonly #lastModes = new Map<string, Mode>();

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  /**
   * The user on whose behalf a request is carried out, which asks for `target`.
   * Errors: 403; 400 for anything of a user without his name.
   */
  actingUser(user: ApiUser, request: IncomingMessage, target: Access): ApiUser {
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
    this.#assertMayActAs(user, { name, groups, uid, extra }, target);
    return {
      name,
      groups: withStanding(name, groups.length > 0 ? groups : groupsOf(name)),
      ...(uid === "" ? {} : { uid }),
      ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
    };
  }

  #assertMayActAs(user: ApiUser, actedAs: ActedAs, target: Access): void {
    const last = this.#lastModes.get(user.name);
    const modes = modesFor(actedAs).toSorted((a, b) => Number(b === last) - Number(a === last));
    let first: StatusError | undefined;
    for (const mode of modes) {
      const refusal = this.#refusal(user, mode, actedAs, target);
      if (refusal === undefined) {
        this.#lastModes.set(user.name, mode);
        return;
      }
      first ??= refusal;
    }
    if (first !== undefined) throw first;
  }

  /** Which of the rights of a way is missing. */
  #refusal(user: ApiUser, mode: Mode, actedAs: ActedAs, target: Access): StatusError | undefined {
    const asked = mode === "plain" ? [] : [{ ...target, verb: `impersonate-on:${mode}:${target.verb}` }];
    for (const access of [...asked, ...rightsOf(mode, actedAs)]) {
      const { allowed, reason } = this.#authorizer.decide(user, access);
      if (!allowed) return forbidden(user, access, reason);
    }
    return undefined;
  }
}

/** The ways in which one may act as somebody. Nodes and accounts about whom more is said are users like others. */
function modesFor({ name, groups, uid, extra }: ActedAs): readonly Mode[] {
  const isNode = nodeOf(name) !== undefined;
  if (!isNode && accountOf(name) === undefined) return ["user-info", "plain"];
  if (groups.length > 0 || uid !== "" || extra.size > 0) return ["plain"];
  return [isNode ? "arbitrary-node" : "serviceaccount", "plain"];
}

/** What one has to be allowed to act as somebody, besides what is asked for on his behalf. */
function rightsOf(mode: Mode, { name, groups, uid, extra }: ActedAs): readonly Access[] {
  const isPlain = mode === "plain";
  const identities = "authentication.k8s.io";
  const right = (
    plural: string,
    object: string,
    place: { readonly group?: string; readonly namespace?: string; readonly subresource?: string } = {},
  ): Access => ({
    verb: isPlain ? "impersonate" : `impersonate:${mode}`,
    group: isPlain ? "" : identities,
    plural,
    subresource: "",
    name: object,
    namespace: "",
    ...place,
  });
  const account = accountOf(name);
  const node = isPlain ? undefined : nodeOf(name);
  return [
    ...(account === undefined
      ? [node === undefined ? right("users", name) : right("nodes", node)]
      : [right("serviceaccounts", account.name, { namespace: account.namespace })]),
    ...groups.map((group) => right("groups", group)),
    ...[...extra].flatMap(([subresource, values]) =>
      values.map((value) => right("userextras", value, { group: identities, subresource })),
    ),
    ...(uid === "" ? [] : [right("uids", uid, { group: identities })]),
  ];
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
  return account === undefined ? [] : accountGroups(account.namespace);
}

/** The service account that a user's name is of. */
function accountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(accountPrefix)) return undefined;
  const [namespace = "", name, ...rest] = user.slice(accountPrefix.length).split(":");
  if (name === undefined || rest.length > 0) return undefined;
  const isNamed = labelNameFault(namespace) === undefined && subdomainFault(name) === undefined;
  return isNamed ? { namespace, name } : undefined;
}

/** The node that a user's name is of. */
function nodeOf(user: string): string | undefined {
  return user.startsWith(nodePrefix) && user !== nodePrefix ? user.slice(nodePrefix.length) : undefined;
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
