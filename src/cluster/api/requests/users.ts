// Who sends a request: bearer tokens to users. What they may do is decided in src/cluster/api/access.
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { StatusError } from "../status-error.ts";
import { takeTokenProtocol } from "./web-socket-request.ts";

/** A user of the API. */
export interface ApiUser {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The groups of a service account, which its namespace says. */
export function accountGroups(namespace: string): readonly string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

/** The user of the built-in controllers, whose writes no interceptor sees. */
export const controllersUser: ApiUser = {
  name: "system:kube-controller-manager",
  groups: ["system:masters", "system:authenticated"],
};

/** The administrator, whom the kubeconfig file names. */
export const adminUser: ApiUser = { name: "admin", groups: ["system:masters", "system:authenticated"] };

/** A client without a token. */
export const anonymousUser: ApiUser = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** The audience that tokens are for which requests to this server come with; whoever asks about a token may name others. */
export const apiAudience = "https://kubernetes.default.svc";

/** Whose token it is, and which of the audiences asked for it is for; or why it is of no use for them. */
export type ReadToken =
  { readonly user: ApiUser; readonly audiences: readonly string[] } | { readonly failure: string };

/** Reads tokens. */
export interface TokenReader {
  /** What a token says to any of the audiences; undefined where it was made by somebody else. */
  readToken(token: string, audiences: readonly string[]): ReadToken | undefined;
}

const unknownToken = "invalid bearer token";

/** The audiences asked for that are among those given. */
export function commonAudiences(given: readonly string[], asked: readonly string[]): readonly string[] {
  return asked.filter((audience) => given.includes(audience));
}

/** Finds users by their token: those that the cluster was started with, and service accounts. */
export class UserDirectory {
  readonly #users: readonly (readonly [Buffer, ApiUser])[];

  readonly #accounts: TokenReader;

  constructor(users: ReadonlyMap<string, ApiUser>, accounts: TokenReader) {
    this.#accounts = accounts;
    this.#users = [...users].map(([token, user]) => [Buffer.from(token), user] as const);
  }

  /** The user of a request. Errors: 401 for a token that is unknown, or for others than this server. */
  authenticate(request: IncomingMessage): ApiUser {
    const token = bearerOf(request.headers.authorization ?? "") ?? takeTokenProtocol(request);
    if (token === undefined) return anonymousUser;
    const read = this.#readToken(token, [apiAudience]);
    if ("failure" in read) throw new StatusError(401, "Unauthorized", "Unauthorized");
    return read.user;
  }

  /** What this server would say to a request with a token, if it were each of the audiences. */
  review(token: string, audiences: readonly string[]): ReadToken {
    const bearer = bearerOf(`Bearer ${token}`);
    return bearer === undefined ? { user: anonymousUser, audiences } : this.#readToken(bearer, audiences);
  }

  /** Tokens that the cluster was started with are compared in constant time; they are for no other audience. */
  #readToken(token: string, audiences: readonly string[]): ReadToken {
    const given = Buffer.from(token);
    const common = commonAudiences([apiAudience], audiences);
    const [, user] =
      this.#users.find(([each]) => each.length === given.length && timingSafeEqual(each, given)) ?? [];
    if (user !== undefined && common.length > 0) return { user, audiences: common };
    const read = this.#accounts.readToken(token, audiences);
    if (read === undefined) return { failure: unknownToken };
    return "failure" in read ? { failure: `[${unknownToken}, ${read.failure}]` } : read;
  }
}

/** The token of an Authorization header; undefined where it has none, or another space before it. */
function bearerOf(authorization: string): string | undefined {
  const [scheme = "", token = ""] = authorization.trim().split(" ");
  return scheme.toLowerCase() === "bearer" && token !== "" ? token : undefined;
}
