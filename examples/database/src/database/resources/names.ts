// What the objects of one Database are called, where its files are, and which labels select its pods.
import type { ObjectKey } from "xstate-operator";

/**
 * The user of the server's processes and of the sidecar: `nobody`. PostgreSQL refuses to run as root, and wants a user that
 * /etc/passwd knows; this one is known everywhere.
 */
export const postgresUser = 65534;

/** The image of the server. */
export const postgresImage = "docker.io/library/postgres:18";

/** The image of the sidecar: Node, and sidecar/database-sidecar.ts as the command `database-sidecar`. */
export const sidecarImage = "example.com/database-sidecar:1";

/** Folders inside the containers. */
export const folders = {
  data: "/var/lib/postgresql/data",
  backups: "/var/lib/postgresql/backups",
  config: "/etc/postgresql",
  secret: "/etc/postgresql-secret",
  records: "/var/lib/sidecar",
} as const;

/** What belongs to a Database can be named after it. */
interface Named {
  readonly metadata: { readonly name: string; readonly namespace: string };
}

/** The namespace and a name made of the Database's own, for instance `orders-config`. */
export function keyFor(database: Named, suffix = ""): Required<ObjectKey> {
  const { name, namespace } = database.metadata;
  return { namespace, name: `${name}${suffix}` };
}

/** The only pod of a Database. */
export function podKey(database: Named): Required<ObjectKey> {
  return keyFor(database, "-0");
}

/** The labels that select the pods of a Database. */
export function labelsOf(database: Named): Readonly<Record<string, string>> {
  return { "app.kubernetes.io/name": "postgresql", "app.kubernetes.io/instance": database.metadata.name };
}
