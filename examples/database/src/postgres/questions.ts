// What the operator asks of the server, and what it instructs it to do: each function is one statement.
import type { Client } from "pg";
import { markerFile, parseMarker, type BackupMarker } from "../sidecar/backup-marker.ts";

/** How the server is. */
export interface ServerHealth {
  /** True while it replays its log after a crash or a restore. */
  readonly inRecovery: boolean;
  /** Whether the application's database admits connections. */
  readonly open: boolean;
  /** Connections of applications. */
  readonly connections: number;
  /** Bytes of the application's database. */
  readonly size: number;
  /** For instance `18.4`. */
  readonly version: string;
}

/** Looks at the server as a whole and at one of its databases. */
export async function askHealth(client: Client, database: string): Promise<ServerHealth> {
  const { rows } = await client.query<ServerHealth>(
    `SELECT pg_is_in_recovery() AS "inRecovery",
            coalesce(bool_or(datallowconn), false) AS open,
            (SELECT count(*)::int FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend') AS connections,
            coalesce(max(pg_database_size(oid)), 0)::float8 AS size,
            current_setting('server_version') AS version
       FROM pg_database WHERE datname = $1`,
    [database],
  );
  const [health] = rows;
  if (health === undefined) throw new Error("the server gave no answer");
  return health;
}

/** The configuration that the server runs with. */
export interface ServerConfiguration {
  /** The text of its postgresql.conf. */
  readonly text: string;
  /** Whether the server has read that text, and not only been given it since. */
  readonly loaded: boolean;
}

/** Asks for the configuration; the time of a file is known to the second. */
export async function askConfiguration(client: Client): Promise<ServerConfiguration> {
  const { rows } = await client.query<ServerConfiguration>(
    `SELECT pg_read_file(current_setting('config_file')) AS text,
            pg_conf_load_time() >= (pg_stat_file(current_setting('config_file'))).modification AS loaded`,
  );
  const [configuration] = rows;
  if (configuration === undefined) throw new Error("the server gave no answer");
  return configuration;
}

/** How far a base backup is. */
export interface BackupProgress {
  /** PostgreSQL's own words, for instance `streaming database files`. */
  readonly phase: string;
  readonly streamed: number;
  /** Absent until the server has estimated it. */
  readonly total: number | null;
}

/** The base backup of this name, if it is under way. */
export async function askBackupProgress(client: Client, name: string): Promise<BackupProgress | undefined> {
  const { rows } = await client.query<BackupProgress>(
    `SELECT phase, backup_streamed::float8 AS streamed, backup_total::float8 AS total
       FROM pg_stat_progress_basebackup JOIN pg_stat_activity USING (pid) WHERE application_name = $1`,
    [name],
  );
  return rows[0];
}

/** Ends the base backups of these names that are under way; returns how many there were. */
export async function endBackups(client: Client, names: readonly string[]): Promise<number> {
  const { rowCount } = await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ANY ($1)`,
    [names],
  );
  return rowCount ?? 0;
}

/** The newest finished backup. */
export async function readLastBackup(client: Client): Promise<BackupMarker | undefined> {
  const { rows } = await client.query<{ text: string | null }>(
    `SELECT pg_read_file(current_setting('backup.folder') || '/' || name || '/' || $1, true) AS text
       FROM pg_ls_dir(current_setting('backup.folder'), true, false) AS name
      WHERE name <> 'lost+found'`,
    [markerFile],
  );
  return newest(rows.flatMap(({ text }) => parseMarker(text) ?? []));
}

/** The newest of some backups. */
export function newest(markers: readonly BackupMarker[]): BackupMarker | undefined {
  return markers.reduce<BackupMarker | undefined>(
    (best, marker) => (best === undefined || marker.time > best.time ? marker : best),
    undefined,
  );
}

/** Opens or closes a database to new connections; those that exist stay. */
export async function admitConnections(client: Client, database: string, admitted: boolean): Promise<void> {
  await client.query(`ALTER DATABASE ${client.escapeIdentifier(database)} ALLOW_CONNECTIONS ${admitted}`);
}

/** Ends the connections to a database; returns how many there were. */
export async function endConnections(client: Client, database: string): Promise<number> {
  const { rowCount } = await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'`,
    [database],
  );
  return rowCount ?? 0;
}
