// The manifests' own commands on a real PostgreSQL, without any cluster: prepare, serve, observe and back up beside it, restore.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { withConnection, type ServerAddress } from "../../../examples/database/src/postgres/connection.ts";
import {
  admitConnections,
  askBackupProgress,
  askHealth,
  endBackups,
  endConnections,
  readLastBackup,
} from "../../../examples/database/src/postgres/questions.ts";
import { databaseConfig } from "../../../examples/database/src/database/resources/config.ts";
import { folders, postgresUser } from "../../../examples/database/src/database/resources/names.ts";
import { databaseSecret } from "../../../examples/database/src/database/resources/secret.ts";
import { databaseSet, sidecarPort } from "../../../examples/database/src/database/resources/server.ts";
import { createWorkspace, type Workspace } from "../../../examples/database/src/tour/workspace.ts";
import { verifyBackup } from "../../../examples/database/src/tour/verify-backup.ts";
import { freePort } from "../../support/free-port.ts";
import { databaseFixture, databasePorts } from "./database-fixture.ts";

const identity = process.getuid?.() === 0 ? { uid: postgresUser, gid: postgresUser } : {};
const { signal } = new AbortController();

let workspace: Workspace;
let server: ChildProcess;
let sidecar: ChildProcess;
let sidecarUrl: string;
let sidecarToken: string;
let output = "";
let superuser: ServerAddress;
let application: ServerAddress;
let prepare: () => void;
let startSidecar: () => void;
let backups: string;

/** A path of the containers as it is on this machine. */
const here = (text: string): string =>
  Object.entries(folders)
    .toSorted(([, left], [, right]) => right.length - left.length)
    .reduce((result, [name, path]) => result.replaceAll(path, join(workspace.folder, name)), text);

beforeAll(async () => {
  workspace = await createWorkspace();
  const database = databaseFixture({ spec: { port: await freePort(databasePorts) } });
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
  startSidecar = () => {
    const [, container] = containers;
    const variables = (container?.env ?? []).map(({ name, value }) => [name, here(value ?? "127.0.0.1")]);
    sidecar = spawn(join(workspace.programs[0] ?? "", container?.command?.[0] ?? ""), {
      ...identity,
      env: Object.fromEntries(variables) as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [sidecar.stdout, sidecar.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
  };
  startSidecar();

  backups = here(folders.backups);
  const passwordOf = (key: string): string => Buffer.from(secret.data?.[key] ?? "", "base64").toString();
  const at = { host: "127.0.0.1", port: database.spec.port };
  superuser = { ...at, user: "postgres", password: passwordOf("superuser-password"), database: "postgres" };
  application = { ...at, user: "app", password: passwordOf("password"), database: "app" };
  sidecarUrl = `http://127.0.0.1:${sidecarPort(database)}`;
  sidecarToken = passwordOf("sidecar-token");
  await vi.waitFor(() => ask("SELECT 1"), { timeout: 50_000, interval: 50 });
  await stateIs("Running");
});

afterAll(async () => {
  for (const [child, ending] of [
    [sidecar, "SIGTERM"],
    [server, "SIGINT"],
  ] as const) {
    const exited = once(child, "exit");
    if (child.exitCode === null && child.kill(ending)) await exited;
  }
  await workspace.remove();
});

const ask = (query: string, address = superuser) =>
  withConnection(
    address,
    signal,
    async (client) => (await client.query<Record<string, unknown>>(query)).rows,
  );

/** Asks the sidecar, as the operator does. */
async function call(path: string, init: RequestInit = {}): Promise<Record<string, unknown>> {
  const answer = await fetch(`${sidecarUrl}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${sidecarToken}`, ...(init.headers as Record<string, string>) },
  });
  return (await answer.json()) as Record<string, unknown>;
}

const stateIs = (state: string): Promise<Record<string, unknown>> =>
  vi.waitFor(
    async () => {
      const report = await call("/state");
      expect(report).toMatchObject({ state });
      return report;
    },
    { timeout: 20_000, interval: 20 },
  );

const begin = (name: string, maxRate = 0, key: string = randomUUID()) =>
  call("/tasks/backup", {
    method: "POST",
    headers: { "idempotency-key": key, "content-type": "application/json" },
    body: JSON.stringify({ input: { name, maxRate } }),
  });

/** The output of a task, once it has ended; rejects with its message when it has failed. */
const outcome = (key: string): Promise<unknown> =>
  vi
    .waitFor(
      async () => {
        const record = await call(`/tasks/${key}`);
        expect(record["phase"]).not.toBe("Running");
        return record;
      },
      { timeout: 20_000, interval: 20 },
    )
    .then((record) => {
      if (record["phase"] !== "Succeeded") throw new Error(String(record["message"]));
      return record["output"];
    });

/** Has a backup taken, to its end. */
const backUp = async (name: string, maxRate = 0): Promise<unknown> => {
  const { id } = await begin(name, maxRate);
  return outcome(String(id));
};

const progressOf = (name: string) =>
  withConnection(superuser, signal, (client) => askBackupProgress(client, name));

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
  const isStreaming = (name: string) =>
    expect
      .poll(() => progressOf(name), { timeout: 10_000, interval: 20 })
      .toMatchObject({ phase: "streaming database files", total: expect.any(Number) as number });

  it("holds what was written, shows its progress, and is found by its marker", async () => {
    await ask("CREATE TABLE notes AS SELECT 'kept' AS text", application);
    const { id } = await begin("backup-first", 16_384);
    await isStreaming("backup-first");
    await vi.waitFor(async () => {
      const { progress, message } = await call(`/tasks/${String(id)}`);
      expect(progress).toBeGreaterThan(0);
      expect(message).toMatch(/^streaming database files, .* MB of .* MB$/);
    }, 10_000);
    expect(await withConnection(superuser, signal, readLastBackup)).toBeUndefined();

    const marker = (await outcome(String(id))) as { readonly size: number };
    expect(marker).toMatchObject({ name: "backup-first", file: "backup-first/base.tar" });
    const backupFolder = join(backups, "backup-first");
    expect(marker.size).toBe(statSync(join(backupFolder, "base.tar")).size);
    expect(await withConnection(superuser, signal, readLastBackup)).toEqual(marker);
    expect(await stateIs("Running")).toMatchObject({ facts: { lastBackup: marker } });
    expect(await progressOf("backup-first")).toBeUndefined();

    const query = "SELECT text FROM notes";
    const { postgres, folder } = workspace;
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

  it("is not taken again under the same name, whatever the attempt", async () => {
    const before = statSync(join(backups, "backup-first", "base.tar")).mtimeMs;
    expect(await backUp("backup-first")).toMatchObject({ name: "backup-first" });
    expect(statSync(join(backups, "backup-first", "base.tar")).mtimeMs).toBe(before);
  });

  it("is ended when it is called off, and nothing is left of it", async () => {
    const { id } = await begin("backup-called-off", 1_024);
    await isStreaming("backup-called-off");
    await call(`/tasks/${String(id)}`, { method: "DELETE" });
    await expect(outcome(String(id))).rejects.toThrow("it was cancelled");
    expect(await progressOf("backup-called-off")).toBeUndefined();
    expect(readdirSync(backups)).toEqual(["backup-first"]);
  });

  it("fails when the server ends it by its name, and no other is ended", async () => {
    const { id } = await begin("backup-ended", 1_024);
    await isStreaming("backup-ended");
    const end = (...names: string[]) =>
      withConnection(superuser, signal, (client) => endBackups(client, names));
    expect(await end("backup-first")).toBe(0);
    expect(await end("backup-first", "backup-ended")).toBe(1);
    await expect(outcome(String(id))).rejects.toThrow("terminating connection");
  });

  it("is taken once though the sidecar is killed in the middle of it and asked again", async () => {
    const { id } = await begin("backup-second", 1_024);
    await isStreaming("backup-second");
    sidecar.kill("SIGKILL");
    await once(sidecar, "exit");
    leaveUnfinished("backup-broken");
    startSidecar();
    await stateIs("Running");
    await expect(outcome(String(id))).rejects.toThrow("the sidecar ended while this ran");
    expect(await backUp("backup-second")).toMatchObject({ name: "backup-second" });
    expect(readdirSync(backups).toSorted()).toEqual(["backup-first", "backup-second"]);
    expect(await withConnection(superuser, signal, readLastBackup)).toMatchObject({ name: "backup-second" });
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

describe("the sidecar of a server", () => {
  it("says Closed while nobody is let in, and obeys nobody without its token", async () => {
    await withConnection(superuser, signal, (client) => admitConnections(client, "app", false));
    await stateIs("Closed");
    await withConnection(superuser, signal, (client) => admitConnections(client, "app", true));
    await stateIs("Running");
    expect((await fetch(`${sidecarUrl}/state`)).status).toBe(401);
    const refused = await begin("../../etc/passwd");
    await expect(outcome(String(refused["id"]))).rejects.toThrow();
  });

  it("says Down as soon as the server is stopped, and why", async () => {
    const heard = listen();
    await vi.waitFor(() => expect(heard.text).toContain('"state":"Running"'));
    server.kill("SIGINT");
    await once(server, "exit");
    const stopped = performance.now();
    await vi.waitFor(() => expect(heard.text).toContain('"state":"Down"'), { timeout: 10_000, interval: 5 });
    expect(performance.now() - stopped).toBeLessThan(2_000);
    expect(heard.text).toMatch(/"reason":"PostgreSQL at 127\.0\.0\.1:\d+: /);
    heard.stop();
  });

  it("has told no secret", () => {
    expect(output).toContain("the sidecar answers");
    for (const secret of [superuser.password, application.password, sidecarToken])
      expect(output).not.toContain(secret);
  });
});

/** What the sidecar says on its stream of events. */
function listen(): { readonly text: string; readonly stop: () => void } {
  const abort = new AbortController();
  let text = "";
  void (async () => {
    const answer = await fetch(`${sidecarUrl}/events`, {
      headers: { authorization: `Bearer ${sidecarToken}` },
      signal: abort.signal,
    });
    for await (const chunk of answer.body ?? []) text += Buffer.from(chunk as Uint8Array).toString();
  })().catch(() => undefined);
  return {
    get text() {
      return text;
    },
    stop: () => abort.abort(),
  };
}

/** What a backup leaves behind when it is killed. */
function leaveUnfinished(name: string): void {
  const folder = join(backups, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "base.tar"), "half");
  if (identity.uid === undefined) return;
  for (const path of [folder, join(folder, "base.tar")]) chownSync(path, identity.uid, identity.gid);
}
