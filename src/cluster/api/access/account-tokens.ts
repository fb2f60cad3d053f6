// Tokens of service accounts: made by the token subresource, bound to the account as it is, and to another object if that is asked for; of
// use until they expire or what they are bound to is gone.
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../../ports/clock.ts";
import { fieldsOf, isFields, listOf, textOf, type ApiObject, type Fields } from "../api-object.ts";
import { commonAudiences, type ApiUser, type ReadToken } from "../requests/users.ts";
import type { ObjectStore } from "../storage/object-store.ts";

/** Who issues tokens. */
const issuer = "https://kubernetes.default.svc";

/** What a token says. */
export interface TokenRequest {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** Seconds after which its use is to be warned of; default none. */
  readonly warnAfterSeconds?: number;
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
/** Seconds that clocks may differ by; as long a token outlasts its end, and the deletion of what it is bound to. */
const leeway = 60;
const invalidated = "service account token has been invalidated";

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
  issue(request: TokenRequest): string {
    const { namespace, name, uid, audiences, expirationSeconds, warnAfterSeconds, bound, node } = request;
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
      "kubernetes.io": {
        namespace,
        ...Object.fromEntries(parts),
        serviceaccount: { name, uid },
        ...(warnAfterSeconds === undefined ? {} : { warnafter: now + warnAfterSeconds }),
      },
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${name}`,
    };
    const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
    return `${signed}.${this.#sign(signed).toString("base64url")}`;
  }

  /** Whose token it is, as long as it has not expired, and its account and what it is bound to are those that they were. */
  readToken(token: string, audiences: readonly string[]): ReadToken | undefined {
    const [header = "", body = "", signature = "", ...more] = token.split(".");
    const claims = readClaims(body);
    if (claims?.["iss"] !== issuer || more.length > 0) return undefined;
    const expected = this.#sign(`${header}.${body}`);
    const given = Buffer.from(signature, "base64url");
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      return { failure: "go-jose/go-jose: error in cryptographic primitive" };
    }
    const own = listOf(claims["aud"]).map(String);
    const common = commonAudiences(own, audiences);
    if (common.length === 0) {
      const [is, asked] = [own, audiences].map(
        (each) => `[${each.map((one) => JSON.stringify(one)).join(" ")}]`,
      );
      return { failure: `token audiences ${is} is invalid for the target audiences ${asked}` };
    }
    const failure = this.#failureOf(claims);
    return failure === undefined ? { user: userOf(claims), audiences: common } : { failure };
  }

  /** Why claims do not hold any more; undefined if they do. */
  #failureOf(claims: Fields): string | undefined {
    if (this.#clock.now() > (Number(claims["exp"]) + leeway) * 1_000)
      return "service account token has expired";
    const own = fieldsOf(claims["kubernetes.io"]);
    const namespace = textOf(own["namespace"]);
    const { name, uid } = fieldsOf(own["serviceaccount"]);
    const account = this.#store.get("serviceaccounts", namespace, textOf(name));
    if (account === undefined) return `serviceaccounts ${JSON.stringify(name)} not found`;
    if (account.metadata.uid !== uid) {
      return `service account UID (${account.metadata.uid}) does not match claim (${textOf(uid)})`;
    }
    if (!this.#isThere(account)) return `service account ${namespace}/${textOf(name)} has been deleted`;
    // The node of a pod is only named.
    const bound = (["secrets", "pods", "nodes"] as const).find((space) => own[words[space]] !== undefined);
    if (bound === undefined) return undefined;
    const { name: boundName, uid: boundUid } = fieldsOf(own[words[bound]]);
    const object = this.#store.get(bound, bound === "nodes" ? undefined : namespace, textOf(boundName));
    if (object === undefined) return invalidated;
    if (object.metadata.uid !== boundUid) {
      const word = words[bound];
      return `${word} UID (${object.metadata.uid}) does not match service account ${word} ref claim (${textOf(boundUid)})`;
    }
    return this.#isThere(object) ? undefined : invalidated;
  }

  /** Whether an object is not on its way out for too long. */
  #isThere({ metadata: { deletionTimestamp } }: ApiObject): boolean {
    if (deletionTimestamp === undefined) return true;
    return this.#clock.now() <= Date.parse(deletionTimestamp) + leeway * 1_000;
  }

  #sign(text: string): Buffer {
    return createHmac("sha256", this.#key).update(text).digest();
  }
}

/** The claims of a token, whoever made it; undefined where there are none. */
function readClaims(body: string): Fields | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(body, "base64url").toString("utf8"));
    return isFields(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}

function userOf(claims: Fields): ApiUser {
  const own = fieldsOf(claims["kubernetes.io"]);
  return {
    name: textOf(claims["sub"]),
    uid: textOf(fieldsOf(own["serviceaccount"])["uid"]),
    groups: [
      "system:serviceaccounts",
      `system:serviceaccounts:${textOf(own["namespace"])}`,
      "system:authenticated",
    ],
    extra: {
      "authentication.kubernetes.io/credential-id": [`JTI=${textOf(claims["jti"])}`],
      ...factsOf("node", own),
      ...factsOf("pod", own),
    },
  };
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
