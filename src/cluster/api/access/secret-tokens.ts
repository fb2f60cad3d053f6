// Tokens of service accounts that Secrets hold, for whoever cannot ask for new ones: they have no end, are for this server alone, and of
// use as long as the Secret holds them and the account is there.
// https://kubernetes.io/docs/concepts/security/service-accounts/#serviceaccount-token-secret
import { fieldsOf, textOf, type Fields } from "../api-object.ts";
import type { ObjectStore } from "../storage/object-store.ts";

/** Who issues them. */
export const secretTokenIssuer = "kubernetes/serviceaccount";
const invalidSince = "kubernetes.io/legacy-token-invalid-since";
const prefix = "kubernetes.io/serviceaccount/";

/** An account, and the Secret that holds its token. */
export interface HeldToken {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly secret: string;
}

/** What such a token says. */
export function heldTokenClaims({ namespace, name, uid, secret }: HeldToken): Fields {
  return {
    iss: secretTokenIssuer,
    [`${prefix}namespace`]: namespace,
    [`${prefix}secret.name`]: secret,
    [`${prefix}service-account.name`]: name,
    [`${prefix}service-account.uid`]: uid,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
}

/** The account of such a token; empty texts of another one. */
export function heldTokenOf(claims: Fields): HeldToken {
  const of = (name: string): string => textOf(claims[`${prefix}${name}`]);
  return {
    namespace: of("namespace"),
    name: of("service-account.name"),
    uid: of("service-account.uid"),
    secret: of("secret.name"),
  };
}

/** Why such a token does not hold any more, in Kubernetes' words; undefined if it does. */
export function whyNotHeld(
  store: Pick<ObjectStore, "get">,
  claims: Fields,
  token: string,
): string | undefined {
  const { namespace, name, uid, secret } = heldTokenOf(claims);
  const holder = store.get("secrets", namespace, secret);
  if (holder === undefined || holder.metadata.deletionTimestamp !== undefined)
    return "Token has been invalidated";
  const held = Buffer.from(textOf(fieldsOf(holder["data"])["token"]), "base64").toString("utf8");
  if (held !== token) return "Token does not match server's copy";
  const account = store.get("serviceaccounts", namespace, name);
  if (account === undefined) return `serviceaccounts ${JSON.stringify(name)} not found`;
  if (account.metadata.deletionTimestamp !== undefined) {
    return `ServiceAccount ${namespace}/${name} has been deleted`;
  }
  if (account.metadata.uid !== uid) {
    return `ServiceAccount UID (${account.metadata.uid}) does not match claim (${uid})`;
  }
  if ((holder.metadata.labels?.[invalidSince] ?? "") === "") return undefined;
  const which = `the token in secret ${namespace}/${secret} for service account ${namespace}/${name}`;
  return `${which} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${invalidSince}' label from the secret to temporarily allow use of this token`;
}
