// The proof of a backup: unpacks it, starts a second server on the copy, reads, and leaves nothing behind.
// The second server listens on no network, only on a socket inside a folder that nobody else may enter.
// Used by the tour and by tests; by hand: node examples/database/src/tour/verify-backup.ts FOLDER POSTGRES DATABASE QUERY
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { extract } from "tar";
import { postgresUser } from "../database/resources/names.ts";

/** What is to be verified, and with what. */
export interface VerifyOptions {
  /** The folder of the backup, with its `base.tar`. */
  readonly backup: string;
  /** The `postgres` program. */
  readonly postgres: string;
  /** Database to look into. */
  readonly database: string;
  readonly query: string;
  /** Where the copy is unpacked; default the system's temporary folder. The copy is removed in any case. */
  readonly workspace?: string;
  /** Milliseconds that the second server may take to start; default 30 s. */
  readonly patience?: number;
  readonly signal?: AbortSignal;
}

/**
 * The rows that the restored backup gives.
 *
 * **Errors**: when the archive cannot be unpacked, when the server does not start on it (with the end of its log), and
 * those of the query.
 */
export async function verifyBackup(options: VerifyOptions): Promise<readonly Record<string, unknown>[]> {
  const folder = await mkdtemp(join(options.workspace ?? tmpdir(), "restore-"));
  let server: ChildProcess | undefined;
  try {
    await chmod(folder, 0o700);
    await extract({ file: join(options.backup, "base.tar"), cwd: folder });
    await writeFile(join(folder, "pg_hba.conf"), "local all all trust\n", { mode: 0o600 });
    const identity = await handOver(folder);
    const settings = [
      "listen_addresses=",
      `unix_socket_directories=${folder}`,
      "unix_socket_permissions=0700",
    ];
    server = spawn(options.postgres, ["-D", folder, ...settings.flatMap((setting) => ["-c", setting])], {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
      ...identity,
    });
    return await ask(server, folder, options);
  } finally {
    if (server !== undefined) await stop(server);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** PostgreSQL refuses to run as root: then the copy is given to another user, who runs the server. */
async function handOver(folder: string): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const names = await readdir(folder, { recursive: true });
  for (const path of [folder, ...names.map((name) => join(folder, name))]) {
    await chown(path, postgresUser, postgresUser);
  }
  return { uid: postgresUser, gid: postgresUser };
}

/** Asks the query as soon as the server answers. */
async function ask(
  server: ChildProcess,
  folder: string,
  options: VerifyOptions,
): Promise<readonly Record<string, unknown>[]> {
  const log: string[] = [];
  let failure: Error | undefined;
  server.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    log.push(chunk);
    if (log.length > 50) log.shift();
  });
  server.once("error", (error) => (failure = error));
  const deadline = performance.now() + (options.patience ?? 30_000);
  for (;;) {
    options.signal?.throwIfAborted();
    const client = new Client({
      host: folder,
      user: "postgres",
      database: options.database,
      connectionTimeoutMillis: 2_000,
    });
    client.on("error", () => undefined); // Also rejects the query under way.
    try {
      await client.connect();
    } catch (error) {
      await client.end().catch(() => undefined);
      const ended = failure !== undefined || server.exitCode !== null || server.signalCode !== null;
      if (ended || performance.now() > deadline) {
        throw new Error(
          `no server starts on the backup ${options.backup}: ${failure?.message ?? log.join("")}`,
          {
            cause: error,
          },
        );
      }
      await delay(50);
      continue;
    }
    try {
      return (await client.query<Record<string, unknown>>(options.query)).rows;
    } finally {
      await client.end();
    }
  }
}

/** Ends the server at once: its data is thrown away anyhow. */
async function stop(server: ChildProcess): Promise<void> {
  if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, "exit");
  server.kill("SIGQUIT");
  await exited;
}

if (import.meta.main) {
  const [backup, postgres, database, query] = process.argv.slice(2);
  if (backup === undefined || postgres === undefined || database === undefined || query === undefined) {
    console.error("usage: node examples/database/src/tour/verify-backup.ts FOLDER POSTGRES DATABASE QUERY");
    process.exitCode = 2;
  } else {
    console.log(JSON.stringify(await verifyBackup({ backup, postgres, database, query })));
  }
}
