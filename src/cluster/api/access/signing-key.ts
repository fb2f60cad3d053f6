// The key that the tokens of service accounts are signed with, and how others check them: its public part, as a JSON web key.
import {
  createECDH,
  createHash,
  createPrivateKey,
  createPublicKey,
  sign,
  verify,
  type KeyObject,
} from "node:crypto";
import { isFields, type Fields } from "../api-object.ts";
import { BoundedMap } from "../../../collections/bounded-map.ts";

/** Signatures that are known to be right, so that who comes often costs little. */
const mostKnown = 1_000;
const curve = { kty: "EC", crv: "P-256" };

/** A key on the curve P-256. */
export class SigningKey {
  readonly #private: KeyObject;
  readonly #public: KeyObject;
  readonly #known = new BoundedMap<string, true>(mostKnown);
  /** Its public part. */
  readonly webKey: Readonly<Record<"use" | "kty" | "kid" | "crv" | "alg" | "x" | "y", string>>;

  /** `secret`: 32 random bytes, of which the same key is made each time. */
  constructor(secret: Buffer) {
    const pair = createECDH("prime256v1");
    pair.setPrivateKey(secret);
    const point = pair.getPublicKey();
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((each) => each.toString("base64url")) as [
      string,
      string,
    ];
    this.#private = createPrivateKey({
      key: { ...curve, x, y, d: secret.toString("base64url") },
      format: "jwk",
    });
    this.#public = createPublicKey(this.#private);
    const kid = createHash("sha256")
      .update(this.#public.export({ type: "spki", format: "der" }))
      .digest("base64url");
    this.webKey = { use: "sig", kty: curve.kty, kid, crv: curve.crv, alg: "ES256", x, y };
  }

  /** The claims as a JSON web token. */
  sign(claims: object): string {
    const { alg, kid } = this.webKey;
    const signed = `${encode({ alg, kid })}.${encode(claims)}`;
    const signature = sign("sha256", Buffer.from(signed), { key: this.#private, dsaEncoding: "ieee-p1363" });
    return `${signed}.${signature.toString("base64url")}`;
  }

  /** Why a token was not signed with this key, in Kubernetes' words; undefined if it was. */
  whyForeign(token: string): string | undefined {
    if (this.#known.get(token) === true) return undefined;
    const [header = "", body = "", signature = ""] = token.split(".");
    if (readPart(header)?.["kid"] !== this.webKey.kid) return "invalid signature, no keys found";
    const key = { key: this.#public, dsaEncoding: "ieee-p1363" } as const;
    const isOwn = verify(
      "sha256",
      Buffer.from(`${header}.${body}`),
      key,
      Buffer.from(signature, "base64url"),
    );
    if (!isOwn) return "go-jose/go-jose: error in cryptographic primitive";
    this.#known.set(token, true);
    return undefined;
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** A part of a token; undefined where it is no JSON object. */
export function readPart(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
