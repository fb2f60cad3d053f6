// Puts a token into each Secret that is to hold one of a service account, and removes the Secret with the account.
// https://kubernetes.io/docs/concepts/security/service-accounts/#serviceaccount-token-secret
import { isNotFound } from "../../../client/api-error.ts";
import { Secret, ServiceAccount } from "../../../kinds/builtin/core.ts";
import { formatKey, keyOf, parseKey } from "../../../meta/object-key.ts";
import { equal } from "../../../schema/json-value.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer } from "../controller-loop.ts";

const tokenType = "kubernetes.io/service-account-token";
const nameOf = "kubernetes.io/service-account.name";
const uidOf = "kubernetes.io/service-account.uid";

/** What the Secrets are filled with. */
export interface TokenSecretOptions {
  /** The authority that has signed the API server's certificate, PEM. */
  readonly authority: string;
  /** A token for an account, which a Secret will hold. */
  readonly issue: (account: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly secret: string;
  }) => string;
}

/** The controller of tokens in Secrets. RBAC: `list`, `watch`, `update`, `delete` on secrets; `get`, `list`, `watch` on accounts. */
export function tokenSecretController(
  context: ControllerContext,
  { authority, issue }: TokenSecretOptions,
): ControllerDefinition {
  const { cache, client } = context;
  const secrets = cache.informer<Secret>(Secret, { fieldSelector: `type=${tokenType}` });
  const accounts = cache.informer<ServiceAccount>(ServiceAccount);

  async function reconcile(key: string): Promise<undefined> {
    const { namespace = "", name } = parseKey(key);
    const secret = secrets.lister.get({ namespace, name });
    if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return undefined;
    const account = await accountOf(secret);
    if (account === undefined) {
      await client.delete(Secret, { namespace, name }, { preconditions: { uid: secret.metadata.uid } });
      return undefined;
    }
    const { data = {}, metadata } = secret;
    const { name: accountName, uid } = account.metadata;
    const encode = (text: string): string => Buffer.from(text).toString("base64");
    const filled = {
      ...data,
      "ca.crt": encode(authority),
      namespace: data["namespace"] || encode(namespace),
      token: data["token"] || encode(issue({ namespace, name: accountName, uid, secret: name })),
    };
    if (equal(data, filled)) return undefined;
    await client.update(Secret, {
      ...secret,
      apiVersion: "v1",
      kind: Secret.kind,
      metadata: {
        ...metadata,
        annotations: { ...metadata.annotations, [nameOf]: accountName, [uidOf]: uid },
      },
      data: filled,
    });
    return undefined;
  }

  /** The account that a Secret names; it may have been made after the last that was seen of accounts. */
  async function accountOf({
    metadata: { namespace, annotations = {} },
  }: Secret): Promise<ServiceAccount | undefined> {
    const key = { namespace, name: annotations[nameOf] ?? "" };
    const isIt = (account: ServiceAccount): boolean =>
      [undefined, account.metadata.uid].includes(annotations[uidOf]);
    const seen = accounts.lister.get(key);
    if (seen !== undefined && isIt(seen)) return seen;
    try {
      const account = await client.get(ServiceAccount, key);
      return isIt(account) ? account : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  return {
    name: "serviceaccount-token",
    sources: [
      fromInformer(secrets, (secret) => [formatKey(keyOf(secret))]),
      fromInformer(
        accounts,
        ({ metadata }) =>
          secrets.lister
            .list({ namespace: metadata.namespace })
            .filter(({ metadata: { annotations } }) => annotations?.[nameOf] === metadata.name)
            .map((secret) => formatKey(keyOf(secret))),
        ({ type }) => type === "deleted",
      ),
    ],
    reconcile,
  };
}
