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

/** The user of the built-in controllers, whose writes no interceptor sees. */
export const controllersUser: ApiUser = {
  name: "system:kube-controller-manager",
  groups: ["system:masters", "system:authenticated"],
};

/** The administrator, whom the kubeconfig file names. */
export const adminUser: ApiUser = { name: "admin", groups: ["system:masters", "system:authenticated"] };

/** A client without a token. */
export const anonymousUser: ApiUser = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** Finds the user of a token. */
export interface TokenReader {
  findUser(token: string): ApiUser | undefined;
}

/** Finds users by their token: those that the cluster was started with, and service accounts. */
export class UserDirectory {
  readonly #users: readonly (readonly [Buffer, ApiUser])[];

  readonly #accounts: TokenReader;

  constructor(users: ReadonlyMap<string, ApiUser>, accounts: TokenReader) {
    this.#accounts = accounts;
    this.#users = [...users].map(([token, user]) => [Buffer.from(token), user] as const);
  }

  /** The user of a request. Errors: 401 for an unknown token. */
  authenticate(request: IncomingMessage): ApiUser {
    const { authorization = "" } = request.headers;
    const token = /^Bearer\s+(.+)$/i.exec(authorization)?.[1] ?? takeTokenProtocol(request);
    if (token === undefined) return anonymousUser;
    const user = this.findUser(token);
    if (user === undefined) throw new StatusError(401, "Unauthorized", "Unauthorized");
    return user;
  }

  /** The user of a token; compared in constant time. */
  findUser(token: string): ApiUser | undefined {
    const given = Buffer.from(token.trim());
    const known = this.#users.find(
      ([each]) => each.length === given.length && timingSafeEqual(each, given),
    )?.[1];
    return known ?? this.#accounts.findUser(token.trim());
  }
}
