// Tokens of service accounts: made by the token subresource, bound to the account as it is, and of use until they expire.
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../../ports/clock.ts";
import { fieldsOf, textOf } from "../api-object.ts";
import type { ApiUser } from "../requests/users.ts";
import type { ObjectStore } from "../storage/object-store.ts";

/** The audience and the issuer of tokens. */
export const issuer = "https://kubernetes.default.svc";

/** What a token says. */
export interface TokenRequest {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}

/** Makes and reads the tokens of one server. */
export class AccountTokens {
  readonly #key: Buffer;
  readonly #store: Pick<ObjectStore, "get">;
  readonly #clock: Clock;

  /** `key` is what they are signed with; default a new one. */
  constructor(store: Pick<ObjectStore, "get">, clock: Clock, key: Buffer = randomBytes(32)) {
    this.#key = key;
    this.#store = store;
    this.#clock = clock;
  }

  /** A new token, as a JSON web token. */
  issue({ namespace, name, uid, audiences, expirationSeconds }: TokenRequest): string {
    const now = Math.floor(this.#clock.now() / 1_000);
    const claims = {
      aud: audiences,
      exp: now + expirationSeconds,
      iat: now,
      iss: issuer,
      jti: randomUUID(),
      "kubernetes.io": { namespace, serviceaccount: { name, uid } },
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${name}`,
    };
    const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
    return `${signed}.${this.#sign(signed).toString("base64url")}`;
  }

  /** The account of a token; undefined for one that is not ours, has expired, or whose account is another one by now. */
  findUser(token: string): ApiUser | undefined {
    const [header = "", body = "", signature = ""] = token.split(".");
    const expected = this.#sign(`${header}.${body}`);
    const given = Buffer.from(signature, "base64url");
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const claims = JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as Record<string, unknown>;
    const { namespace, serviceaccount } = fieldsOf(claims["kubernetes.io"]);
    const { name, uid } = fieldsOf(serviceaccount);
    if (Number(claims["exp"]) * 1_000 <= this.#clock.now()) return undefined;
    const account = this.#store.get("serviceaccounts", textOf(namespace), textOf(name));
    if (account?.metadata.uid !== uid) return undefined;
    return {
      name: textOf(claims["sub"]),
      uid: textOf(uid),
      groups: [
        "system:serviceaccounts",
        `system:serviceaccounts:${textOf(namespace)}`,
        "system:authenticated",
      ],
      extra: { "authentication.kubernetes.io/credential-id": [`JTI=${textOf(claims["jti"])}`] },
    };
  }

  #sign(text: string): Buffer {
    return createHmac("sha256", this.#key).update(text).digest();
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
