// The manifests' own commands on a real PostgreSQL, without any cluster: prepare, serve, back up, restore.
import { execFile, execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { withConnection, type ServerAddress } from "../../../examples/database/postgres/connection.ts";
import {
  admitConnections,
  askBackupProgress,
  askHealth,
  endBackups,
  endConnections,
  readBackupMarker,
  readLastBackup,
} from "../../../examples/database/postgres/questions.ts";
import { databaseConfig } from "../../../examples/database/resources/config.ts";
import { folders, postgresUser } from "../../../examples/database/resources/names.ts";
import { databaseSecret } from "../../../examples/database/resources/secret.ts";
import { databaseSet } from "../../../examples/database/resources/server.ts";
import { createWorkspace, type Workspace } from "../../../examples/database/tour/workspace.ts";
import { verifyBackup } from "../../../examples/database/verify-backup.ts";
import { databaseFixture } from "./database-fixture.ts";

const identity = process.getuid?.() === 0 ? { uid: postgresUser, gid: postgresUser } : {};
const { signal } = new AbortController();

let workspace: Workspace;
let server: ChildProcess;
let superuser: ServerAddress;
let application: ServerAddress;
let prepare: () => void;
let backups: string;

/** A path of the containers as it is on this machine. */
const here = (text: string): string =>
  Object.entries(folders)
    .toSorted(([, left], [, right]) => right.length - left.length)
    .reduce((result, [name, path]) => result.replaceAll(path, join(workspace.folder, name)), text);

beforeAll(async () => {
  workspace = await createWorkspace();
  const database = databaseFixture({ spec: { port: await freePort() } });
  const secret = databaseSecret(database, undefined);
  for (const path of Object.values(folders)) {
    mkdirSync(here(path), { mode: 0o700 });
    if (identity.uid !== undefined) chownSync(here(path), identity.uid, identity.gid);
  }
  for (const [name, text] of Object.entries(databaseConfig(database).data ?? {})) {
    writeFileSync(join(here(folders.config), name), text);
  }
  for (const [name, value] of Object.entries(secret.data ?? {})) {
    writeFileSync(join(here(folders.secret), name), Buffer.from(value, "base64"));
  }

  const { initContainers = [], containers } = databaseSet(database).spec.template.spec;
  const path = [...workspace.programs, process.env["PATH"]].join(delimiter);
  prepare = () => {
    const [container] = initContainers;
    const [command = "", ...args] = container?.command ?? [];
    const env = Object.fromEntries(
      (container?.env ?? []).map(({ name, value }) => [name, here(value ?? "")]),
    );
    execFileSync(command, args, { ...identity, env: { ...env, PATH: path }, stdio: "pipe" });
  };
  prepare();
  const args = (containers[0]?.args ?? []).map((each) => here(each).replace("$(POD_IP)", "127.0.0.1"));
  const env = { PGDATA: join(here(folders.data), "pgdata") };
  server = spawn(workspace.postgres, args, { ...identity, env, stdio: "ignore" });

  backups = here(folders.backups);
  const passwordOf = (key: string): string => Buffer.from(secret.data?.[key] ?? "", "base64").toString();
  const at = { host: "127.0.0.1", port: database.spec.port };
  superuser = { ...at, user: "postgres", password: passwordOf("superuser-password"), database: "postgres" };
  application = { ...at, user: "app", password: passwordOf("password"), database: "app" };
  await vi.waitFor(() => ask("SELECT 1"), { timeout: 50_000, interval: 50 });
});

afterAll(async () => {
  const exited = once(server, "exit");
  if (server.kill("SIGINT")) await exited;
  await workspace.remove();
});

const ask = (query: string, address = superuser) =>
  withConnection(
    address,
    signal,
    async (client) => (await client.query<Record<string, unknown>>(query)).rows,
  );

/** Runs the Job's program with the Job's environment. */
const backUp = async (name: string, maxRate = 0): Promise<void> => {
  const { host, port, user, password } = superuser;
  const env = {
    PATH: process.env["PATH"],
    BACKUP_NAME: name,
    BACKUP_FOLDER: backups,
    BACKUP_MAX_RATE: String(maxRate),
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    PGPASSWORD: password,
  };
  await promisify(execFile)(join(workspace.programs[0] ?? "", "take-backup"), { ...identity, env });
};

const markerOf = (name: string) =>
  withConnection(superuser, signal, (client) => readBackupMarker(client, name));

describe("the server that the manifests describe", () => {
  it("is healthy, and open to its application alone", async () => {
    const health = await withConnection(superuser, signal, (client) => askHealth(client, "app"));
    expect(health).toMatchObject({ inRecovery: false, open: true, connections: 0 });
    expect(health.version).toMatch(/^18/);
    expect(await ask("SELECT current_user::text AS me", application)).toEqual([{ me: "app" }]);
    const stranger = { ...application, password: "wrong" };
    await expect(ask("SELECT 1", stranger)).rejects.toMatchObject({
      name: "ServerUnreachable",
      code: "28P01",
      isDown: false,
    });
  });

  it("can be prepared again without losing anything, but not while it runs", () => {
    expect(existsSync(join(here(folders.data), "pgdata", "PG_VERSION"))).toBe(true);
    expect(prepare).toThrow(/lock file/);
  });

  it("admits nobody while it is closed, and everybody again later; who is connected is ended on request", async () => {
    const first = new Client(application);
    first.on("error", () => undefined);
    await first.connect();
    await withConnection(superuser, signal, (client) => admitConnections(client, "app", false));
    await expect(ask("SELECT 1", application)).rejects.toThrow("not currently accepting connections");
    const before = await withConnection(superuser, signal, (client) => askHealth(client, "app"));
    expect(before).toMatchObject({ open: false, connections: 1 });

    const ended = await withConnection(superuser, signal, (client) => endConnections(client, "app"));
    expect(ended).toBe(1);
    await first.end().catch(() => undefined);
    await withConnection(superuser, signal, (client) => admitConnections(client, "app", true));
    expect(await ask("SELECT 1 AS answer", application)).toEqual([{ answer: 1 }]);
  });

  it("says that nobody is there when nobody is there", async () => {
    const nowhere = { ...superuser, port: await freePort() };
    await expect(ask("SELECT 1", nowhere)).rejects.toMatchObject({ code: "ECONNREFUSED", isDown: true });
  });
});

describe("a base backup", () => {
  it("holds what was written, shows its progress, and is found by its marker", async () => {
    await ask("CREATE TABLE notes AS SELECT 'kept' AS text", application);
    const backup = backUp("first", 32_768);
    await expect
      .poll(() => withConnection(superuser, signal, askBackupProgress), { timeout: 10_000, interval: 20 })
      .toMatchObject({ phase: "streaming database files", total: expect.any(Number) as number });
    expect(await markerOf("first")).toBeUndefined();

    await backup;
    const marker = await markerOf("first");
    expect(marker).toMatchObject({ name: "first", file: "first/base.tar" });
    expect(marker?.size).toBe(statSync(join(backups, "first", "base.tar")).size);
    expect(await withConnection(superuser, signal, askBackupProgress)).toBeUndefined();

    const query = "SELECT text FROM notes";
    const { postgres, folder } = workspace;
    const backupFolder = join(backups, "first");
    const rows = await verifyBackup({
      backup: backupFolder,
      postgres,
      database: "app",
      query,
      workspace: folder,
    });
    expect(rows).toEqual([{ text: "kept" }]);
    expect(readdirSync(folder).filter((name) => name.startsWith("restore"))).toEqual([]);
  });

  it("is not taken again under the same name", async () => {
    const before = await markerOf("first");
    await backUp("first");
    expect(await markerOf("first")).toEqual(before);
  });

  it("is ended by its name while the server writes it, and no other is", async () => {
    const backup = backUp("called-off", 1_024).then(
      () => "done",
      (error: unknown) => String(error),
    );
    await expect
      .poll(() => withConnection(superuser, signal, askBackupProgress), { timeout: 10_000, interval: 20 })
      .toMatchObject({ phase: "streaming database files" });
    const end = (...names: string[]) =>
      withConnection(superuser, signal, (client) => endBackups(client, names));
    expect(await end("first")).toBe(0);
    expect(await end("first", "called-off")).toBe(1);
    expect(await backup).toContain("the backup failed");
    expect(await withConnection(superuser, signal, askBackupProgress)).toBeUndefined();
    expect(await markerOf("called-off")).toBeUndefined();
  });

  it("becomes the last one, and clears away what was never finished", async () => {
    leaveUnfinished("broken");
    await backUp("second");
    expect(readdirSync(backups).toSorted()).toEqual(["first", "second"]);
    expect(await withConnection(superuser, signal, readLastBackup)).toMatchObject({ name: "second" });
  });

  it("refuses to write into a folder that is in use", async () => {
    leaveUnfinished("third");
    await expect(backUp("third")).rejects.toThrow("exists but is not empty");
  });

  it("that is broken does not verify, and says why", async () => {
    const options = {
      postgres: workspace.postgres,
      database: "app",
      query: "SELECT 1",
      workspace: workspace.folder,
    };
    await expect(verifyBackup({ ...options, backup: join(backups, "nothing") })).rejects.toThrow("ENOENT");
  });
});

/** What a backup leaves behind when it is killed. */
function leaveUnfinished(name: string): void {
  const folder = join(backups, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "base.tar"), "half");
  if (identity.uid === undefined) return;
  for (const path of [folder, join(folder, "base.tar")]) chownSync(path, identity.uid, identity.gid);
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, "close");
  return port;
}
