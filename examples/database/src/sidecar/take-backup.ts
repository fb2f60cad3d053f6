// A base backup that the server writes into the backup folder, and that is then marked finished. The name is that of what shall be
// there once: a finished backup is not taken again, and what an earlier attempt has left of it, or of others, is cleared away.
import { open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client, type QueryResult } from "pg";
import { z } from "zod";
import { ServerUnreachable, type ServerAddress } from "../postgres/connection.ts";
import type { HeldConnection } from "../postgres/held-connection.ts";
import { askBackupProgress, endBackups, type BackupProgress } from "../postgres/questions.ts";
import { markerFile, parseMarker, type BackupMarker } from "./backup-marker.ts";

/** What the operator asks for. */
export const backupRequest = z.object({
  name: z.string().regex(/^backup-[a-z0-9-]{1,50}$/),
  /** kB/s; 0: no limit. */
  maxRate: z.int().min(0),
});

/** See {@link backupRequest}. */
export type BackupRequest = z.infer<typeof backupRequest>;

/** Where a backup is taken, and who wants to know how far it is. */
export interface BackupPlace {
  /** The backup folder as this program sees it. */
  readonly folder: string;
  readonly address: ServerAddress;
  /** For what is asked beside the backup. */
  readonly connection: HeldConnection;
  readonly signal: AbortSignal;
  readonly report: (progress: number, message: string) => void;
}

/** Milliseconds between two questions how far it is. */
const reportEvery = 1_000;

/** Takes the backup, unless it is there already; returns its marker. What an aborted or failed one has written is removed. */
export async function takeBackup(request: BackupRequest, place: BackupPlace): Promise<BackupMarker> {
  const folder = join(place.folder, request.name);
  const before = await readMarker(folder);
  if (before !== undefined) return before;
  await clearUnfinished(request.name, place);
  const over = new AbortController();
  const stop = (): void =>
    void place.connection.ask((client) => endBackups(client, [request.name])).catch(() => undefined);
  place.signal.addEventListener("abort", stop, { once: true });
  const reporting = reportProgress(request.name, place, over.signal);
  try {
    place.signal.throwIfAborted();
    const positions = await streamBackup(request, place);
    const { size } = await stat(join(folder, "base.tar"));
    const finished: BackupMarker = {
      name: request.name,
      file: `${request.name}/base.tar`,
      size,
      startLsn: positions.at(0) ?? "",
      endLsn: positions.at(-1) ?? "",
      time: new Date().toISOString(),
    };
    await writeWhole(join(folder, markerFile), `${JSON.stringify(finished)}\n`);
    return finished;
  } catch (error) {
    await clearUnfinished(request.name, place).catch(() => undefined);
    throw error;
  } finally {
    place.signal.removeEventListener("abort", stop);
    over.abort();
    await reporting;
  }
}

/** Has the server write the archive; returns where its log begins and ends. */
async function streamBackup(request: BackupRequest, { address, folder }: BackupPlace): Promise<string[]> {
  const options = {
    ...address,
    // By which it is ended, when nobody wants it any more.
    application_name: request.name,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // Not in the typings: a connection that understands both replication commands and SQL.
    replication: "database",
  };
  const client = new Client(options);
  client.on("error", () => undefined); // A lost connection also rejects the query, which is where it is reported.
  try {
    await client.connect();
    const where = await client.query<{ folder: string }>("SELECT current_setting('backup.folder') AS folder");
    // The answer has three result sets: the start, the tablespaces, the end.
    const answer: unknown = await client.query(baseBackupCommand(request, where.rows[0]?.folder ?? folder));
    return (answer as QueryResult<{ recptr?: string }>[]).flatMap(({ rows }) =>
      rows.flatMap(({ recptr }) => recptr ?? []),
    );
  } catch (error) {
    throw new ServerUnreachable(address, error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The replication command of a backup that the server writes to its own disk, with the log that makes it consistent. */
export function baseBackupCommand({ name, maxRate }: BackupRequest, serverFolder: string): string {
  const options = [
    `LABEL ${quote(name)}`,
    "PROGRESS true",
    "CHECKPOINT 'fast'",
    "WAL true",
    ...(maxRate > 0 ? [`MAX_RATE ${Math.min(1_048_576, Math.max(32, maxRate))}`] : []),
    "TARGET 'server'",
    `TARGET_DETAIL ${quote(`${serverFolder}/${name}`)}`,
  ];
  return `BASE_BACKUP (${options.join(", ")})`;
}

/** Reports how far the server is, until the signal is aborted. */
async function reportProgress(name: string, place: BackupPlace, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const progress = await place.connection
      .ask((client) => askBackupProgress(client, name))
      .catch(() => undefined);
    if (progress !== undefined) place.report(...describeProgress(progress));
    await delay(reportEvery, undefined, { signal }).catch(() => undefined);
  }
}

/** PostgreSQL's progress as a part from 0 to 1, and a sentence. */
export function describeProgress({
  phase,
  streamed,
  total,
}: BackupProgress): [part: number, message: string] {
  if (total === null || total === 0) return [0, phase];
  // The log of the backup's own time comes last and is in no estimate: it has ended when the server says so.
  const of = streamed < total ? `of ${inMegabytes(total)}` : "so far";
  return [Math.min(0.99, streamed / total), `${phase}, ${inMegabytes(streamed)} ${of}`];
}

/** Ends what the server still writes of backups that are not finished, and removes what is there of them. */
async function clearUnfinished(name: string, { folder, connection }: BackupPlace): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((each) => each.isDirectory() && each.name.startsWith("backup-"));
  const names = new Set([name]);
  for (const each of folders) {
    if ((await readMarker(join(folder, each.name))) === undefined) names.add(each.name);
  }
  // Whoever has asked for it is gone, and the server may not have noticed yet.
  for (let tries = 0; (await connection.ask((client) => endBackups(client, [...names]))) > 0; tries += 1) {
    if (tries >= 200) throw new Error("the server still writes an earlier backup");
    await delay(50);
  }
  for (const each of names) await rm(join(folder, each), { recursive: true, force: true });
}

async function readMarker(folder: string): Promise<BackupMarker | undefined> {
  return parseMarker(await readFile(join(folder, markerFile), "utf8").catch(() => null));
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

function inMegabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
