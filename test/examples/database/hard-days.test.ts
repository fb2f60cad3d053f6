// What the tour does not show: a server that dies, a second life, a second request, a wrong setting, a deletion.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createLogger, findCondition, runOperator, type Manifest } from "xstate-operator";
import { createKubeClient, isNotFound, loadConnection, type KubeClient } from "xstate-operator/client";
import {
  KubernetesEvent,
  PersistentVolumeClaim,
  Pod,
  Secret,
  secretValue,
  StatefulSet,
} from "xstate-operator/kinds";
import { startCluster, type Cluster } from "xstate-operator/cluster";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Database } from "../../../examples/database/src/database/database.ts";
import operator from "../../../examples/database/operator.ts";
import {
  connectApplication,
  type ApplicationClient,
} from "../../../examples/database/src/tour/application-client.ts";
import { markerFile } from "../../../examples/database/src/sidecar/backup-marker.ts";
import { withConnection } from "../../../examples/database/src/postgres/connection.ts";
import usersOperator from "../../../examples/database-user/operator.ts";
import { DatabaseUser } from "../../../examples/database-user/src/database-user/database-user.ts";
import { freePort } from "../../support/free-port.ts";
import { startOperator, type RunningOperator } from "../../support/running-operator.ts";
import { createWorkspace, type Workspace } from "../../../examples/database/src/tour/workspace.ts";
import { databasePorts } from "./database-fixture.ts";

const key = { namespace: "default", name: "orders" };
const soon = { timeout: 60_000, interval: 50 };
const stop = new AbortController();
const log: string[] = [];
const passwords = new Set<string>();

let workspace: Workspace;
let cluster: Cluster;
let client: KubeClient;
let running: Promise<void>;

beforeAll(async () => {
  workspace = await createWorkspace();
  cluster = await startCluster({
    directory: join(workspace.folder, "cluster"),
    pods: "process",
    podPath: workspace.programs,
  });
  client = createKubeClient(await loadConnection({ path: cluster.kubeconfig, env: {} }));
  await new Promise<void>((resolve, reject) => {
    running = runOperator(operator, {
      connection: { kubeconfig: cluster.kubeconfig },
      installCrds: true,
      log: createLogger({ level: "debug", destination: { write: (line: string) => log.push(line) } }),
      signal: stop.signal,
      onReady: resolve,
    });
    running.catch(reject);
  });
  const manifest: Manifest & { spec: object } = {
    apiVersion: "data.example.com/v1",
    kind: "Database",
    metadata: key,
    spec: {
      port: await freePort(databasePorts),
      drainSeconds: 1,
      deletionPolicy: "Delete",
      lifecycle: { desiredState: "Running" },
    },
  };
  await client.create(Database, manifest);
});

afterAll(async () => {
  stop.abort();
  await running;
  await client.close();
  await cluster.stop();
  await workspace.remove();
});

const patch = (spec: object) => client.patch(Database, key, { type: "merge", body: { spec } });

const until = (test: (database: Database) => void): Promise<Database> =>
  vi.waitFor(async () => {
    const database = await client.get(Database, key);
    test(database);
    return database;
  }, soon);

const untilState = (state: string): Promise<Database> =>
  until((database) => {
    expect(database.status?.lifecycle?.state).toBe(state);
    expect(findCondition(database.status?.conditions, "Lifecycle")).toMatchObject({ status: "True" });
  });

/** Connects as an application, as soon as there is a server to connect to. */
const connect = (): Promise<ApplicationClient> =>
  vi.waitFor(async () => connectApplication(client, await client.get(Database, key)), soon);

const count = async (): Promise<number> => {
  const application = await connect();
  try {
    return await application.count();
  } finally {
    await application.close();
  }
};

/** The process id of the server, as its own data folder says. */
function serverPid(): number {
  const [file = ""] = globSync(join(cluster.directory, "claims", "**", "postmaster.pid"));
  return Number(readFileSync(file, "utf8").split("\n")[0]);
}

/** The names of the backups that were finished. */
function finishedBackups(): string[] {
  const markers = globSync(join(cluster.directory, "claims", "**", markerFile));
  return markers.map((file) => basename(dirname(file))).toSorted();
}

describe("a database on hard days", { timeout: 120_000 }, () => {
  it("starts, and serves", async () => {
    await untilState("Running");
    const application = await connect();
    await application.write("Ada");
    await application.close();
    expect(await count()).toBe(1);
    const secret = await client.get(Secret, { ...key, name: "orders-secret" });
    for (const name of ["password", "superuser-password", "sidecar-token"])
      passwords.add(secretValue(secret, name) ?? "");
  });

  it("comes back when its server is killed, with all that was written", async () => {
    const killed = serverPid();
    process.kill(killed, "SIGKILL");
    // Whether the operator saw it down in between is a matter of moments; that another server runs is not.
    await until((database) => {
      expect(serverPid()).not.toBe(killed);
      expect(database.status?.lifecycle?.state).toBe("Running");
    });
    await vi.waitFor(async () => expect(await count()).toBe(1), soon);
  });

  it("is seen to be down within two seconds when its server is stopped by hand, and is led back", async () => {
    const abort = new AbortController();
    const seen = Promise.withResolvers<number>();
    const watching = (async () => {
      for await (const event of client.watch(Database, { signal: abort.signal })) {
        if (event.type !== "MODIFIED") continue;
        const { status } = event.object;
        if (findCondition(status?.conditions, "Lifecycle")?.reason === "Start")
          seen.resolve(performance.now());
      }
    })().catch(() => undefined);
    const stopped = performance.now();
    // As `pg_ctl stop` does. It has been started again once: the next time that takes ten seconds.
    process.kill(serverPid(), "SIGINT");
    expect((await seen.promise) - stopped).toBeLessThan(2_000);
    abort.abort();
    await watching;
    await untilState("Running");
  });

  it("is backed up once for each request, and not again for the same one", async () => {
    await patch({ lifecycle: { desiredState: "Servicing", request: "first" } });
    const first = await until((database) => {
      expect(database.status?.lifecycle?.target).toMatchObject({ request: "first", reached: true });
      expect(database.status?.lastBackup).toBeDefined();
    });
    await patch({ lifecycle: { request: "second" } });
    const second = await until((database) => {
      expect(database.status?.lifecycle?.target).toMatchObject({ request: "second", reached: true });
      expect(database.status?.lastBackup?.name).not.toBe(first.status?.lastBackup?.name);
    });
    const backups = [first, second].map((database) => database.status?.lastBackup?.name ?? "");
    expect(finishedBackups()).toEqual(backups.toSorted());
  });

  it("says which setting there is not, and goes on as it was", async () => {
    await patch({ parameters: { "No Such": "1" } });
    await until((database) => {
      const condition = findCondition(database.status?.conditions, "ReconciliationSuccess");
      expect(condition).toMatchObject({ status: "False" });
      expect(condition?.message).toContain("no setting is called No Such");
    });
    expect(await count()).toBe(1);
    await patch({ parameters: { "No Such": null } });
    await until((database) => {
      const condition = findCondition(database.status?.conditions, "ReconciliationSuccess");
      expect(condition).toMatchObject({ status: "True" });
    });
  });

  it("refuses what belongs to the operator, and another size", async () => {
    await expect(patch({ parameters: { port: "1" } })).rejects.toThrow("the operator itself sets");
    await expect(patch({ storage: "2Gi" })).rejects.toThrow("storage cannot be changed");
  });

  describe("with users of its own, which are rows", () => {
    const userKey = { namespace: "default", name: "reporting" };
    let users: RunningOperator;
    const login = async () => {
      const secret = await client.get(Secret, { ...userKey, name: "reporting-login" });
      passwords.add(secretValue(secret, "password") ?? "");
      return { user: secretValue(secret, "username") ?? "", password: secretValue(secret, "password") ?? "" };
    };
    const ask = async (
      query: string,
      as?: { readonly user: string; readonly password: string },
    ): Promise<readonly Record<string, unknown>[]> => {
      const [host = "", port] = ((await client.get(Database, key)).status?.endpoint ?? "").split(":");
      const secret = await client.get(Secret, { ...key, name: "orders-secret" });
      const admin = { user: "postgres", password: secretValue(secret, "superuser-password") ?? "" };
      const address = { host, port: Number(port), database: "app", ...(as ?? admin) };
      return withConnection(
        address,
        stop.signal,
        async (connection) => (await connection.query<Record<string, unknown>>(query)).rows,
      );
    };
    const declare = (name: string, privileges: readonly ("SELECT" | "INSERT")[]) => ({
      apiVersion: "users.example.com/v1",
      kind: "DatabaseUser",
      metadata: { namespace: "default", name },
      spec: { server: "orders-admin", grants: [{ table: "orders", privileges: [...privileges] }] },
    });
    const insert = "INSERT INTO orders (customer) VALUES ('Eve') RETURNING customer";
    const select = "SELECT count(*)::int AS count FROM orders";

    beforeAll(async () => {
      const [host = "", port = ""] = ((await client.get(Database, key)).status?.endpoint ?? "").split(":");
      const secret = await client.get(Secret, { ...key, name: "orders-secret" });
      const values = {
        host,
        port,
        username: "postgres",
        password: secretValue(secret, "superuser-password") ?? "",
        database: "app",
      };
      await client.create(Secret, {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { namespace: "default", name: "orders-admin" },
        data: Object.fromEntries(
          Object.entries(values).map(([name, value]) => [name, Buffer.from(value).toString("base64")]),
        ),
      });
      users = await startOperator(usersOperator, cluster.kubeconfig, { installCrds: true });
    });
    afterAll(async () => {
      await users.stop();
      log.push(JSON.stringify(users.lines));
    });

    it("lets one in that is declared, with what is granted and no more", async () => {
      await client.create(DatabaseUser, declare("reporting", ["SELECT"]));
      const as = await vi.waitFor(login, soon);
      await vi.waitFor(async () => expect(await ask(select, as)).toEqual([{ count: 1 }]), soon);
      await expect(ask(insert, as)).rejects.toThrow("permission denied");
    });

    it("sets back what somebody has changed in the server, the password too", async () => {
      await ask("REVOKE SELECT ON orders FROM reporting; ALTER ROLE reporting PASSWORD 'another'");
      const as = await login();
      await vi.waitFor(async () => expect(await ask(select, as)).toEqual([{ count: 1 }]), soon);
    });

    it("grants and revokes as the declaration changes", async () => {
      const grants = [{ table: "orders", privileges: ["INSERT"] }];
      await client.patch(DatabaseUser, userKey, { type: "merge", body: { spec: { grants } } });
      const as = await login();
      await vi.waitFor(async () => {
        expect(await ask("SELECT has_table_privilege('reporting', 'orders', 'INSERT') AS may")).toEqual([
          { may: true },
        ]);
        await expect(ask(select, as)).rejects.toThrow("permission denied");
      }, soon);
    });

    it("leaves a role alone that somebody else has made", async () => {
      await client.create(DatabaseUser, declare("app", ["SELECT"]));
      await vi.waitFor(async () => {
        const { status } = await client.get(DatabaseUser, { ...userKey, name: "app" });
        expect(findCondition(status?.conditions, "ReconciliationSuccess")).toMatchObject({
          status: "False",
          message: expect.stringContaining("Role/app was made by somebody else") as string,
        });
      }, soon);
      await client.delete(DatabaseUser, { ...userKey, name: "app" });
      await vi.waitFor(
        () => expect(client.get(DatabaseUser, { ...userKey, name: "app" })).rejects.toSatisfy(isNotFound),
        soon,
      );
      expect(await count()).toBe(1);
    });

    it("drops grants and role, in this order, before a user is gone", async () => {
      await client.delete(DatabaseUser, userKey);
      await vi.waitFor(() => expect(client.get(DatabaseUser, userKey)).rejects.toSatisfy(isNotFound), soon);
      expect(await ask("SELECT rolname FROM pg_roles WHERE rolname = 'reporting'")).toEqual([]);
    });
  });

  it("ends those who stay connected, and has a second life with the old data", async () => {
    const application = await connect();
    await patch({ lifecycle: { desiredState: "End" } });
    await untilState("End");
    await expect(application.count()).rejects.toThrow();
    const ended = await until((database) => expect(database.status?.endpoint).toBeUndefined());
    expect(ended.status?.lastBackup).toBeDefined();
    const labelSelector = "app.kubernetes.io/name=postgresql";
    await vi.waitFor(async () => {
      expect((await client.list(Pod, { namespace: "default", labelSelector })).items).toEqual([]);
    }, soon);

    await patch({ lifecycle: { desiredState: "Running" } });
    await until((database) => {
      expect(database.status?.lifecycle?.state).toBe("Running");
      expect(database.status?.serverVersion).toMatch(/^18/);
      expect(database.status?.endpoint).toBeDefined();
    });
    expect(await count()).toBe(1);
  });

  it("is deleted only when it has ended, and then with all it had", async () => {
    await client.delete(Database, key);
    const gone = async (look: () => Promise<unknown>): Promise<void> => {
      await expect(look()).rejects.toSatisfy(isNotFound);
    };
    await vi.waitFor(() => gone(() => client.get(Database, key)), soon);
    await vi.waitFor(() => gone(() => client.get(StatefulSet, key)), soon);
    await vi.waitFor(() => gone(() => client.get(Secret, { ...key, name: "orders-secret" })), soon);
    await vi.waitFor(() => gone(() => client.get(Pod, { ...key, name: "orders-0" })), soon);
    await vi.waitFor(async () => {
      expect((await client.list(PersistentVolumeClaim, {})).items).toEqual([]);
    }, soon);
  });

  it("has told no password to the log or to an Event", async () => {
    expect(log.length).toBeGreaterThan(10);
    expect(passwords.size).toBe(4);
    const events = JSON.stringify((await client.list(KubernetesEvent, { namespace: "default" })).items);
    for (const password of passwords) {
      expect(log.join("")).not.toContain(password);
      expect(events).not.toContain(password);
    }
  });
});
