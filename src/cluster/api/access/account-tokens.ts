// Tokens of service accounts: made by the token subresource, bound to the account as it is, and to another object if that is asked for; of
// use until they expire or what they are bound to is gone.
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../../ports/clock.ts";
import { fieldsOf, textOf, type ApiObject, type Fields } from "../api-object.ts";
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
  /** The token is of no use once this is gone; default nothing but the account. */
  readonly bound?: BoundObject;
  /** The node of the pod that it is bound to. */
  readonly node?: BoundObject;
}

/** An object that a token is bound to. */
export interface BoundObject {
  readonly space: "pods" | "secrets" | "nodes";
  readonly name: string;
  readonly uid: string;
}

/** How claims and the facts about a user call what a token is bound to. */
const words = { pods: "pod", secrets: "secret", nodes: "node" } as const;
/** Seconds for which a token is of use after the deletion of what it is bound to was asked for. */
const leeway = 60;

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
  issue({ namespace, name, uid, audiences, expirationSeconds, bound, node }: TokenRequest): string {
    const parts = [node, bound].flatMap((each) =>
      each === undefined
        ? []
        : [[words[each.space], { name: each.name, ...(each.uid === "" ? {} : { uid: each.uid }) }] as const],
    );
    const now = Math.floor(this.#clock.now() / 1_000);
    const claims = {
      aud: audiences,
      exp: now + expirationSeconds,
      iat: now,
      iss: issuer,
      jti: randomUUID(),
      "kubernetes.io": { namespace, ...Object.fromEntries(parts), serviceaccount: { name, uid } },
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
    const own = fieldsOf(claims["kubernetes.io"]);
    const { namespace, serviceaccount } = own;
    const { name, uid } = fieldsOf(serviceaccount);
    if (Number(claims["exp"]) * 1_000 <= this.#clock.now()) return undefined;
    const account = this.#store.get("serviceaccounts", textOf(namespace), textOf(name));
    if (account?.metadata.uid !== uid || !this.#isThere(account)) return undefined;
    const [bound] = (["pods", "secrets", "nodes"] as const).filter(
      (space) => own[words[space]] !== undefined,
    );
    if (bound !== undefined) {
      const { name: boundName, uid: boundUid } = fieldsOf(own[words[bound]]);
      const place = bound === "nodes" ? undefined : textOf(namespace);
      const object = this.#store.get(bound, place, textOf(boundName));
      if (object?.metadata.uid !== boundUid || !this.#isThere(object)) return undefined;
    }
    return {
      name: textOf(claims["sub"]),
      uid: textOf(uid),
      groups: [
        "system:serviceaccounts",
        `system:serviceaccounts:${textOf(namespace)}`,
        "system:authenticated",
      ],
      extra: {
        "authentication.kubernetes.io/credential-id": [`JTI=${textOf(claims["jti"])}`],
        ...factsOf("node", own),
        ...factsOf("pod", own),
      },
    };
  }

  /** Whether an object is not on its way out for too long. */
  #isThere(object: ApiObject | undefined): boolean {
    const { deletionTimestamp } = object?.metadata ?? {};
    if (deletionTimestamp === undefined) return true;
    return this.#clock.now() < Date.parse(deletionTimestamp) + leeway * 1_000;
  }

  #sign(text: string): Buffer {
    return createHmac("sha256", this.#key).update(text).digest();
  }
}

/** What is said of a user by the pod, or the node of the pod, that its token is bound to. */
function factsOf(word: "pod" | "node", claims: Fields): Record<string, string[]> {
  if (claims[word] === undefined) return {};
  const { name, uid } = fieldsOf(claims[word]);
  const prefix = `authentication.kubernetes.io/${word}`;
  return {
    [`${prefix}-name`]: [textOf(name)],
    ...(uid === undefined ? {} : { [`${prefix}-uid`]: [textOf(uid)] }),
  };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
