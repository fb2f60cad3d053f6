// The program that a backup Job runs: has the server write a base backup into the backup folder, then marks it finished.
// It knows nothing of Kubernetes and gets everything from its environment. Started again, it does not repeat a finished
// backup; what earlier, broken backups left behind is cleared away.
//
// BACKUP_NAME, BACKUP_FOLDER, BACKUP_MAX_RATE (kB/s, 0: no limit), PGHOST, PGPORT, PGUSER, PGPASSWORD
import { open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Client, type QueryResult } from "pg";
import { markerFile, parseMarker, type BackupMarker } from "./backup-marker.ts";

/** What a backup is made of. */
interface Backup {
  readonly name: string;
  /** The backup folder as this program sees it. */
  readonly folder: string;
  /** kB/s; 0: no limit. */
  readonly maxRate: number;
}

/** The replication command of a backup that the server writes to its own disk, with the log that makes it consistent. */
export function baseBackupCommand(backup: Backup, serverFolder: string): string {
  const options = [
    `LABEL ${quote(backup.name)}`,
    "PROGRESS true",
    "CHECKPOINT 'fast'",
    "WAL true",
    ...(backup.maxRate > 0 ? [`MAX_RATE ${Math.min(1_048_576, Math.max(32, backup.maxRate))}`] : []),
    "TARGET 'server'",
    `TARGET_DETAIL ${quote(`${serverFolder}/${backup.name}`)}`,
  ];
  return `BASE_BACKUP (${options.join(", ")})`;
}

/** Takes the backup, unless it is there already; returns its marker. */
async function takeBackup(backup: Backup, client: Client): Promise<BackupMarker> {
  const folder = join(backup.folder, backup.name);
  const before = await readMarker(folder);
  if (before !== undefined) return before;
  await removeUnfinished(backup, client);

  const where = await client.query<{ folder: string }>("SELECT current_setting('backup.folder') AS folder");
  const serverFolder = where.rows[0]?.folder ?? backup.folder;
  // The answer has three result sets: the start, the tablespaces, the end.
  const answer: unknown = await client.query(baseBackupCommand(backup, serverFolder));
  const positions = (answer as QueryResult<{ recptr?: string }>[]).flatMap(({ rows }) =>
    rows.flatMap(({ recptr }) => recptr ?? []),
  );
  const { size } = await stat(join(folder, "base.tar"));
  const finished: BackupMarker = {
    name: backup.name,
    file: `${backup.name}/base.tar`,
    size,
    startLsn: positions.at(0) ?? "",
    endLsn: positions.at(-1) ?? "",
    time: new Date().toISOString(),
  };
  await writeWhole(join(folder, markerFile), `${JSON.stringify(finished)}\n`);
  return finished;
}

async function readMarker(folder: string): Promise<BackupMarker | undefined> {
  return parseMarker(await readFile(join(folder, markerFile), "utf8").catch(() => null));
}

/** Removes other backups that were never finished, unless one of them is being written right now. */
async function removeUnfinished(backup: Backup, client: Client): Promise<void> {
  const running = await client.query("SELECT FROM pg_stat_progress_basebackup");
  if (running.rowCount !== 0) return;
  for (const name of await readdir(backup.folder)) {
    if (name === backup.name || name === "lost+found") continue;
    const folder = join(backup.folder, name);
    if ((await readMarker(folder)) !== undefined) continue;
    try {
      await rm(folder, { recursive: true, force: true });
    } catch (error) {
      console.error(`the unfinished backup ${name} cannot be removed: ${messageOf(error)}`);
    }
  }
}

/** Writes a file that is there whole or not at all. */
async function writeWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  const file = await open(draft, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`the environment variable ${name} is not set`);
  return value;
}

async function main(): Promise<void> {
  const backup = {
    name: required("BACKUP_NAME"),
    folder: required("BACKUP_FOLDER"),
    maxRate: Number(process.env["BACKUP_MAX_RATE"] ?? "0"),
  };
  const options = {
    host: required("PGHOST"),
    port: Number(process.env["PGPORT"] ?? "5432"),
    user: required("PGUSER"),
    password: required("PGPASSWORD"),
    database: "postgres",
    // By which the operator ends it, when nobody wants the backup any more.
    application_name: backup.name,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // Not in the typings: a connection that understands both replication commands and SQL.
    replication: "database",
  };
  const client = new Client(options);
  client.on("error", () => undefined); // A lost connection also rejects the query, which is where it is reported.
  try {
    await client.connect();
    const { name, size } = await takeBackup(backup, client);
    console.log(`backup ${name} is finished: ${size} bytes`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    console.error(`the backup failed: ${messageOf(error)}`);
    process.exitCode = 1;
  }
}
