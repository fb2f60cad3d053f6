// How clients get into a control plane, and what they have done there: kubeconfig files and the audit log in its folder.
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What a process needs to know of a control plane in order to use it. */
export interface ControlPlaneAccess {
  readonly url: string;
  readonly directory: string;
  /** The authority that signed the API server's certificate, PEM. */
  readonly authority: string;
  /** Bearer tokens of the users that there are. */
  readonly tokens: Readonly<Record<string, string>>;
}

/** One request in the audit log. */
export interface AuditedRequest {
  readonly user: string;
  readonly verb: string;
  readonly uri: string;
  /** Status code of the answer. */
  readonly code: number;
}

/** Writes a kubeconfig file for a user that there is; its path. */
export function kubeconfigOf(access: ControlPlaneAccess, user: string): string {
  const token = access.tokens[user];
  if (token === undefined) throw new Error(`no user ${user} in this control plane`);
  return kubeconfigFor(access, user, token);
}

/** Writes a kubeconfig file for a bearer token; its path. */
export function kubeconfigFor(access: ControlPlaneAccess, user: string, token: string): string {
  const path = join(access.directory, `${user}.kubeconfig`);
  const ca = Buffer.from(access.authority).toString("base64");
  writeFileSync(
    path,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "test", cluster: { server: access.url, "certificate-authority-data": ca } }],
      users: [{ name: user, user: { token } }],
      contexts: [{ name: "test", context: { cluster: "test", user, namespace: "default" } }],
      "current-context": "test",
    }),
    { mode: 0o600 },
  );
  return path;
}

/** Where the audit log is written. */
export function auditLog({ directory }: Pick<ControlPlaneAccess, "directory">): string {
  return join(directory, "audit.log");
}

/** Bytes in the audit log so far. */
export function auditedSoFar(access: ControlPlaneAccess): number {
  return existsSync(auditLog(access)) ? statSync(auditLog(access)).size : 0;
}

/** The requests in the audit log after so many bytes. */
export function auditedSince(access: ControlPlaneAccess, bytes: number): readonly AuditedRequest[] {
  if (!existsSync(auditLog(access))) return [];
  const lines = readFileSync(auditLog(access)).subarray(bytes).toString("utf8").split("\n");
  return lines.flatMap((line) => {
    if (!line.endsWith("}")) return [];
    const entry = JSON.parse(line) as {
      user: { username: string };
      verb: string;
      requestURI: string;
      responseStatus?: { code?: number };
    };
    const { user, verb, requestURI: uri, responseStatus } = entry;
    return [{ user: user.username, verb, uri, code: responseStatus?.code ?? 0 }];
  });
}
