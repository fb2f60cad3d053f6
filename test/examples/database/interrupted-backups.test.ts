// A real PostgreSQL is backed up while the operator, the sidecar or the network between them fails, at instants drawn from a seed:
// one backup for each request, and its result in the status. DATABASE_ROUNDS=40 tries more instants, DATABASE_SEED=7 others.
import { globSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Manifest } from "xstate-operator";
import { createKubeClient, loadConnection, type KubeClient } from "xstate-operator/client";
import { startCluster, type Cluster } from "xstate-operator/cluster";
import { Pod } from "xstate-operator/kinds";
import { Database } from "../../../examples/database/src/database/database.ts";
import { markerFile } from "../../../examples/database/src/sidecar/backup-marker.ts";
import { createWorkspace, type Workspace } from "../../../examples/database/src/tour/workspace.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import { startCommand, type OperatorProcess } from "../../support/operator-process.ts";
import { databasePorts } from "./database-fixture.ts";

const module = join(import.meta.dirname, "../../../examples/database/operator.ts");
const rounds = Number(process.env["DATABASE_ROUNDS"] ?? 2);
const seed = Number(process.env["DATABASE_SEED"] ?? 20_261_129);
/** Requests that one Database serves: after more of them its sidecar would wait for minutes to be started again. */
const roundsOfOne = 4;
/** A backup takes two seconds or more. */
const longest = 2_600;

const victims = ["the operator and the sidecar", "the sidecar", "the operator", "the network"] as const;
const random = mulberry32(seed);
const cases = Array.from({ length: rounds }, (_, index) => ({
  database: `orders-${Math.floor(index / roundsOfOne)}`,
  request: `r${index}`,
  victim: victims[index % victims.length] ?? "the operator",
  after: Math.floor(random() * longest),
}));

let workspace: Workspace;
let cluster: Cluster;
let client: KubeClient;
let operator: OperatorProcess;

const startOperator = (): void => {
  operator = startCommand(["run", module, "--kubeconfig", cluster.kubeconfig, "--install-crds"], {
    keep: 20_000,
  });
};

/** The process of a Database's sidecar, once it runs. */
const sidecarOf = (name: string): Promise<number> =>
  eventually(async () => {
    const pod = await client.get(Pod, { namespace: "default", name: `${name}-0` });
    const status = pod.status?.containerStatuses?.find((each) => each.name === "sidecar");
    const pid = Number(status?.state?.running && status.containerID?.split("/").at(-1));
    expect(pid).toBeGreaterThan(0);
    return pid;
  });

const finished = (name: string): string[] =>
  globSync(join(cluster.directory, "claims", `default_backups-${name}-0`, "*", markerFile)).map((file) =>
    basename(dirname(file)),
  );

const disturb = {
  "the operator": async () => {
    await operator.kill();
    startOperator();
  },
  "the sidecar": async (name: string) => void process.kill(await sidecarOf(name), "SIGKILL"),
  "the operator and the sidecar": async (name: string) => {
    const pid = await sidecarOf(name);
    const killed = operator.kill();
    process.kill(pid, "SIGKILL");
    await killed;
    startOperator();
  },
  // Nothing that is sent is answered, for longer than a call waits.
  "the network": async (name: string) => {
    const pid = await sidecarOf(name);
    process.kill(pid, "SIGSTOP");
    await delay(4_000);
    process.kill(pid, "SIGCONT");
  },
};

const until = (name: string, test: (database: Database) => void): Promise<Database> =>
  eventually(async () => {
    const database = await client.get(Database, { namespace: "default", name });
    try {
      test(database);
    } catch (error) {
      throw new Error(`${JSON.stringify(database.status)}\n${operator.output().slice(-2_000)}`, {
        cause: error,
      });
    }
    return database;
  }, 120_000);

beforeAll(async () => {
  workspace = await createWorkspace();
  cluster = await startCluster({
    directory: join(workspace.folder, "cluster"),
    pods: "process",
    podPath: workspace.programs,
  });
  client = createKubeClient(await loadConnection({ path: cluster.kubeconfig, env: {} }));
  startOperator();
  await eventually(() => client.list(Database));
});

afterAll(async () => {
  await operator.kill();
  await client.close();
  await cluster.stop();
  await workspace.remove();
});

describe(`a database that is backed up (DATABASE_SEED=${seed})`, () => {
  it.each(cases)(
    "has one backup for $request, though $victim fails after $after ms",
    async ({ database: name, request, victim, after }) => {
      if (finished(name).length === 0) await makeDatabase(name);
      const before = finished(name);
      const key = { namespace: "default", name };
      const lifecycle = { desiredState: "Servicing", request };
      await client.patch(Database, key, { type: "merge", body: { spec: { lifecycle } } });
      await delay(after);
      await disturb[victim](name);
      const { status } = await until(name, (database) => {
        expect(database.status?.lifecycle?.target).toMatchObject({ request, reached: true });
        expect(before).not.toContain(database.status?.lastBackup?.name);
        expect(database.status?.lastBackup).toBeDefined();
      });
      const made = finished(name).filter((each) => !before.includes(each));
      expect(made).toEqual([status?.lastBackup?.name]);
    },
    180_000,
  );
});

async function makeDatabase(name: string): Promise<void> {
  const manifest: Manifest & { spec: object } = {
    apiVersion: "data.example.com/v1",
    kind: "Database",
    metadata: { namespace: "default", name },
    spec: {
      port: await freePort(databasePorts),
      backupMaxRate: 16_384,
      lifecycle: { desiredState: "Running" },
    },
  };
  await client.create(Database, manifest);
  await until(name, ({ status }) => expect(status?.lifecycle?.state).toBe("Running"));
}

/** Numbers from 0 to 1, the same for each seed. */
function mulberry32(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
