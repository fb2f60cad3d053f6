// What others read to check the tokens of service accounts by themselves: who issues them, and the public key.
// https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/#service-account-issuer-discovery
import { issuer } from "../access/account-tokens.ts";
import type { SigningKey } from "../access/signing-key.ts";

/** A document of the issuer, and the type of its content. */
export interface IssuerDocument {
  readonly text: string;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
}

const headers = { "Cache-Control": "public, max-age=3600" };

/** The document at a path; undefined where there is none. `address` is where this server listens. */
export function issuerDocument(
  { webKey }: SigningKey,
  address: string,
  path: string,
): IssuerDocument | undefined {
  if (path === "/.well-known/openid-configuration") {
    const text = JSON.stringify({
      issuer,
      jwks_uri: `https://${address}/openid/v1/jwks`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: [webKey.alg],
    });
    return { text, contentType: "application/json", headers };
  }
  if (path !== "/openid/v1/jwks") return undefined;
  return { text: JSON.stringify({ keys: [webKey] }), contentType: "application/jwk-set+json", headers };
}
