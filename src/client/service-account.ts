// The connection of a process that runs in a pod: the pod's service account.
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import type { Connection } from "./connection.ts";
import { createCredentials, readNamedFile, type ReadFile } from "./credentials.ts";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

const folder = "/var/run/secrets/kubernetes.io/serviceaccount";
const source = "the pod's service account";

/** Whether the environment is that of a pod. */
export function isInCluster(env: Environment): boolean {
  return (env["KUBERNETES_SERVICE_HOST"] ?? "") !== "" && (env["KUBERNETES_SERVICE_PORT"] ?? "") !== "";
}

/** The connection by the pod's service account. Errors: `IN_CLUSTER_MISSING`, `KUBECONFIG_FILE_UNREADABLE`. */
export async function loadServiceAccount(env: Environment, readFile: ReadFile): Promise<Connection> {
  if (!isInCluster(env)) {
    throw new OperatorError(
      "IN_CLUSTER_MISSING",
      "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set",
      {
        remedy:
          "Run in a pod, or name a kubeconfig with --kubeconfig or the environment variable KUBECONFIG.",
      },
    );
  }
  const host = env["KUBERNETES_SERVICE_HOST"] ?? "";
  const server = `https://${host.includes(":") ? `[${host}]` : host}:${env["KUBERNETES_SERVICE_PORT"]}`;
  const read = (file: string, what: string): Promise<string> =>
    readNamedFile(readFile, `${folder}/${file}`, `${what} of ${source}`);
  try {
    await read("token", "the token");
  } catch (error) {
    throw new OperatorError(
      "IN_CLUSTER_MISSING",
      `this pod has no service account token: ${messageOf(error)}`,
      {
        cause: error,
        fields: { file: `${folder}/token` },
        remedy:
          "Set automountServiceAccountToken: true on the pod (or on its service account, which may forbid it), or name a kubeconfig with --kubeconfig.",
      },
    );
  }
  const authenticate = createCredentials(
    async () => ({
      headers: { authorization: `Bearer ${(await read("token", "the token")).trim()}` },
      tls: { ca: await read("ca.crt", "the certificate authority") },
    }),
    { constant: false },
  );
  return {
    server,
    namespace: (await read("namespace", "the namespace")).trim(),
    source,
    trust: `${folder}/ca.crt`,
    proxy: undefined,
    authenticate,
  };
}
