// The configuration files of the server, as text: postgresql.conf from the Database's parameters, and pg_hba.conf.
// Nothing secret is in them.
import { createHash } from "node:crypto";

/** The database that applications use, and its owner. */
export const applicationDatabase = "app";

/** A short digest, by which two texts are compared where one of them is elsewhere. */
export function textDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Settings that belong to the operator; a Database that sets one of them is refused by its schema. */
export const reservedSettings = [
  "config_file",
  "data_directory",
  "hba_file",
  "listen_addresses",
  "max_connections",
  "port",
  "unix_socket_directories",
] as const;

/**
 * A setting's name: lower case, with one dot at most (`pg_stat_statements.max`). Checked by the operator, because a CRD's
 * schema cannot check the keys of a map.
 */
export const settingName = /^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$/;

/** A setting's value: anything on one line. */
export const settingValue = /^[^\r\n]*$/;

/** The operator's own settings; an author's parameters come on top of the first block, never over the second. */
const defaults: Readonly<Record<string, string>> = {
  shared_buffers: "16MB",
  log_checkpoints: "off",
  log_destination: "stderr",
  log_line_prefix: "%m ",
  max_wal_size: "256MB",
  password_encryption: "scram-sha-256",
  timezone: "UTC",
};

/** The text of postgresql.conf. Guarantees: the same input gives the same text, whatever the order of its keys. */
export function postgresqlConf(options: {
  readonly parameters: Readonly<Record<string, string>>;
  readonly maxConnections: number;
  readonly port: number;
}): string {
  const settings: Record<string, string> = {
    ...defaults,
    ...options.parameters,
    max_connections: String(options.maxConnections),
    port: String(options.port),
    unix_socket_directories: "",
    wal_level: "replica",
  };
  const lines = Object.entries(settings)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => `${name} = ${quoteSetting(value)}`);
  return ["# Written by database-operator.", ...lines, ""].join("\n");
}

/** The text of pg_hba.conf: passwords for everyone, over TCP only. */
export function pgHbaConf(): string {
  return [
    "# Written by database-operator.",
    "host all         all all scram-sha-256",
    "host replication all all scram-sha-256",
    "",
  ].join("\n");
}

/** A value as postgresql.conf quotes it. */
function quoteSetting(value: string): string {
  return `'${value.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
