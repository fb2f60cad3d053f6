// Credentials that a kubeconfig holds itself: token, token file, client certificate, basic authentication.
import type { Authentication, TlsOptions } from "./connection.ts";
import { readNamedFile, type ReadFile } from "./credentials.ts";
import type { ClusterEntry, Material, UserEntry } from "./kube-config-file.ts";

/** Whether nothing has to be read again: everything stands in the kubeconfig. */
export function isConstant(cluster: ClusterEntry, user: UserEntry | undefined): boolean {
  const files = [cluster.authority, user?.certificate, user?.key].some(
    (material) => material?.data === undefined && material?.file !== undefined,
  );
  return !files && user?.tokenFile === undefined;
}

/** Reads the credentials of a user at a cluster. Errors: `KUBECONFIG_FILE_UNREADABLE`. */
export async function readFileCredentials(
  readFile: ReadFile,
  cluster: ClusterEntry,
  user: UserEntry | undefined,
): Promise<Authentication> {
  const own = user === undefined ? undefined : await readAuthorization(readFile, user);
  const authorization = own ?? (cluster.login === undefined ? undefined : basic(cluster.login));
  return {
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(user === undefined ? {} : impersonationHeaders(user)),
    },
    tls: await readTls(readFile, cluster, user),
  };
}

/** TLS options of a cluster, and of the user's client certificate if there is one. */
export async function readTls(
  readFile: ReadFile,
  cluster: ClusterEntry,
  user: UserEntry | undefined,
): Promise<TlsOptions> {
  const read = (material: Material | undefined, what: string): Promise<string | undefined> =>
    material?.data !== undefined || material?.file === undefined
      ? Promise.resolve(material?.data)
      : readNamedFile(readFile, material.file, what);
  const ca = await read(
    cluster.authority,
    `the certificate authority of cluster "${cluster.name}" in ${cluster.file}`,
  );
  const cert = await read(
    user?.certificate,
    `the client certificate of user "${user?.name}" in ${user?.file}`,
  );
  const key = await read(user?.key, `the client key of user "${user?.name}" in ${user?.file}`);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(cluster.serverName === undefined ? {} : { servername: cluster.serverName }),
    ...(cluster.skipVerification ? { rejectUnauthorized: false } : {}),
  };
}

/** Headers for impersonation. */
export function impersonationHeaders({ impersonate }: UserEntry): Authentication["headers"] {
  const { user, uid, groups, extra } = impersonate;
  return {
    ...(user === undefined ? {} : { "impersonate-user": user }),
    ...(uid === undefined ? {} : { "impersonate-uid": uid }),
    ...(groups.length === 0 ? {} : { "impersonate-group": groups }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [`impersonate-extra-${encodeURIComponent(key)}`, values]),
    ),
  };
}

async function readAuthorization(readFile: ReadFile, user: UserEntry): Promise<string | undefined> {
  if (user.tokenFile !== undefined) {
    const token = await readNamedFile(
      readFile,
      user.tokenFile,
      `the token of user "${user.name}" in ${user.file}`,
    );
    return `Bearer ${token.trim()}`;
  }
  if (user.token !== undefined) return `Bearer ${user.token}`;
  if (user.username === undefined) return undefined;
  return basic(`${user.username}:${user.password ?? ""}`);
}

function basic(login: string): string {
  return `Basic ${Buffer.from(login).toString("base64")}`;
}
