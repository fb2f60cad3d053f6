// Tokens of service accounts: made by the token subresource, bound to the account as it is, and to another object if that is asked for; of
// use until they expire or what they are bound to is gone. Those that Secrets hold are in secret-tokens.ts.
import { randomBytes, randomUUID } from "node:crypto";
import type { Clock } from "../../../ports/clock.ts";
import { fieldsOf, listOf, textOf, type ApiObject, type Fields } from "../api-object.ts";
import {
  accountGroups,
  apiAudience,
  commonAudiences,
  type ApiUser,
  type ReadToken,
} from "../requests/users.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import {
  heldTokenClaims,
  heldTokenOf,
  secretTokenIssuer,
  whyNotHeld,
  type HeldToken,
} from "./secret-tokens.ts";
import { readPart, SigningKey } from "./signing-key.ts";

/** Who issues tokens, besides those that Secrets hold. */
export const issuer = "https://kubernetes.default.svc";

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
  readonly #store: Pick<ObjectStore, "get">;
  readonly #clock: Clock;

  /** What they are signed with. */
  readonly key: SigningKey;

  /** `secret` is what their key is made of, 32 bytes; default a new one. */
  constructor(store: Pick<ObjectStore, "get">, clock: Clock, secret: Buffer = randomBytes(32)) {
    this.key = new SigningKey(secret);
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
    return this.key.sign({
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
    });
  }

  /** A new token for a Secret to hold, as a JSON web token. */
  issueHeld(held: HeldToken): string {
    return this.key.sign(heldTokenClaims(held));
  }

  /** Whose token it is, as long as it has not expired, and its account and what it is bound to are those that they were. */
  readToken(token: string, audiences: readonly string[]): ReadToken | undefined {
    const [, body = "", , ...more] = token.split(".");
    const claims = readPart(body);
    const isHeld = claims?.["iss"] === secretTokenIssuer;
    if (claims === undefined || more.length > 0 || !(isHeld || claims["iss"] === issuer)) return undefined;
    const foreign = this.key.whyForeign(token);
    if (foreign !== undefined) return { failure: foreign };
    const own = isHeld ? [apiAudience] : listOf(claims["aud"]).map(String);
    const common = commonAudiences(own, audiences);
    if (common.length === 0) {
      const [is, asked] = [own, audiences].map(
        (each) => `[${each.map((one) => JSON.stringify(one)).join(" ")}]`,
      );
      return { failure: `token audiences ${is} is invalid for the target audiences ${asked}` };
    }
    const failure = isHeld ? whyNotHeld(this.#store, claims, token) : this.#failureOf(claims);
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
}

function userOf(claims: Fields): ApiUser {
  const { sub, jti } = claims;
  const own = fieldsOf(claims["kubernetes.io"]);
  const held = heldTokenOf(claims);
  const namespace = held.namespace || textOf(own["namespace"]);
  const user = {
    name: textOf(sub),
    uid: held.uid || textOf(fieldsOf(own["serviceaccount"])["uid"]),
    groups: [...accountGroups(namespace), "system:authenticated"],
  };
  if (jti === undefined) return user;
  const credential = { "authentication.kubernetes.io/credential-id": [`JTI=${textOf(jti)}`] };
  return { ...user, extra: { ...credential, ...factsOf("node", own), ...factsOf("pod", own) } };
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
