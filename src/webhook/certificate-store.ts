// Where the certificates of the webhooks are kept: in a Secret that all replicas share, of which the first one wins, or, for an
// operator that runs outside of the cluster, in this process.
import { isAlreadyExists, isConflict, isNotFound } from "../client/api-error.ts";
import type { KubeClient } from "../client/kube-client.ts";
import { Secret } from "../kinds/builtin/core.ts";
import { encodeSecretValue, secretValue } from "../kinds/builtin/secret-value.ts";
import type { Certificates } from "./certificates.ts";

/** What is kept, and what its next write is conditional on. */
export interface StoredCertificates {
  readonly certificates: Certificates | undefined;
  /** Absent: there is nothing yet. */
  readonly version?: string;
}

/** Where they are kept. */
export interface CertificateStore {
  read(signal: AbortSignal): Promise<StoredCertificates>;
  /** Whether they are kept now; false when somebody else has written since that version was read. */
  write(certificates: Certificates, version: string | undefined, signal: AbortSignal): Promise<boolean>;
}

/** Name of the Secret of an operator. */
export function certificateSecretOf(operator: string): string {
  return `${operator}-webhook-certificate`;
}

/** Options of {@link secretStore}. */
export interface SecretStoreOptions {
  readonly client: KubeClient;
  readonly operator: string;
  readonly namespace: string;
}

/**
 * Keeps them in a Secret of type kubernetes.io/tls.
 *
 * **Errors**: `ApiError`, but for conflicts. **RBAC**: `create` on secrets, and `get` and `update` on the one.
 */
export function secretStore({ client, operator, namespace }: SecretStoreOptions): CertificateStore {
  const name = certificateSecretOf(operator);
  return {
    read: async (signal) => {
      try {
        const secret = await client.get(Secret, { namespace, name }, { signal });
        return { certificates: certificatesIn(secret), version: secret.metadata.resourceVersion ?? "" };
      } catch (error) {
        if (isNotFound(error)) return { certificates: undefined };
        throw error;
      }
    },
    write: async (certificates, version, signal) => {
      const manifest = {
        apiVersion: "v1",
        kind: "Secret",
        metadata: {
          name,
          namespace,
          labels: { "app.kubernetes.io/name": operator, "app.kubernetes.io/component": "operator" },
          ...(version === undefined ? {} : { resourceVersion: version }),
        },
        type: "kubernetes.io/tls",
        data: dataOf(certificates),
      };
      const options = { fieldManager: operator, signal };
      try {
        if (version === undefined) await client.create(Secret, manifest, options);
        else await client.update(Secret, manifest, options);
        return true;
      } catch (error) {
        // Another replica was first, or somebody has deleted it.
        if (isAlreadyExists(error) || isConflict(error) || (version !== undefined && isNotFound(error)))
          return false;
        throw error;
      }
    },
  };
}

/** Keeps them in this process. */
export function memoryStore(): CertificateStore {
  let kept: Certificates | undefined;
  return {
    read: () => Promise.resolve({ certificates: kept }),
    write: (certificates) => {
      kept = certificates;
      return Promise.resolve(true);
    },
  };
}

function certificatesIn(secret: Secret): Certificates | undefined {
  const pair = (name: string): Certificates["serving"] | undefined => {
    const [cert, key] = [secretValue(secret, `${name}.crt`), secretValue(secret, `${name}.key`)];
    return cert === undefined || key === undefined ? undefined : { cert, key };
  };
  const [serving, next] = [pair("tls"), pair("next")];
  if (serving === undefined) return undefined;
  const authorities = secretValue(secret, "ca.crt") ?? "";
  return { serving, authorities, ...(next === undefined ? {} : { next }) };
}

function dataOf({ serving, next, authorities }: Certificates): Readonly<Record<string, string>> {
  const texts = {
    "ca.crt": authorities,
    "tls.crt": serving.cert,
    "tls.key": serving.key,
    ...(next === undefined ? {} : { "next.crt": next.cert, "next.key": next.key }),
  };
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, encodeSecretValue(text)]));
}
