// One whole life of a Database on the embedded cluster, with the operator as a process that is killed (SIGKILL) around
// its writes: before one is looked at, or after it is stored and before it is answered.
import { globSync } from "node:fs";
import { join } from "node:path";
import { Database } from "../../examples/database/src/database/database.ts";
import { markerFile } from "../../examples/database/src/sidecar/backup-marker.ts";
import { createWorkspace } from "../../examples/database/src/tour/workspace.ts";
import { findCondition, type KubeObject, type Manifest, type ResourceType } from "../../src/index.ts";
import { createKubeClient, loadConnection, type KubeClient } from "../../src/client/index.ts";
import {
  ConfigMap,
  PersistentVolumeClaim,
  Pod,
  Secret,
  Service,
  StatefulSet,
} from "../../src/kinds/index.ts";
import type { LifecycleStatus } from "../../src/lifecycle/stored/snapshot.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import type { WriteRequest } from "../../src/cluster/cluster.ts";
import { databasePorts } from "../examples/database/database-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { startCommand, type OperatorProcess } from "../support/operator-process.ts";

const module = join(import.meta.dirname, "../../examples/database/operator.ts");
const key = { namespace: "default", name: "orders" };

/** Where the operator is killed, seen from a write. */
export type Moment = "before" | "after";

/** Decides at each write (counted from 1) and moment whether the operator is killed there. */
export type KillPlan = (count: number, moment: Moment, write: WriteRequest) => boolean;

/** What is left when the life is over. */
export interface DatabaseRun {
  /** Writes of the operator that were stored, in order. */
  readonly writes: readonly string[];
  readonly kills: number;
  /** States in the order in which they were entered. */
  readonly path: readonly string[];
  /** What a person would compare: no names made at random, no times. */
  readonly outcome: unknown;
  /** Backups that were finished. */
  readonly backups: readonly string[];
  /** The database's password never changed under it. */
  readonly secretVersions: number;
  /** What is left once the Database is deleted, besides the volumes that it retains. */
  readonly leftovers: readonly string[];
}

/** Runs the life once. */
export async function runDatabaseLife(kills: KillPlan): Promise<DatabaseRun> {
  const workspace = await createWorkspace();
  const writes: string[] = [];
  let arrived = 0;
  let killed = 0;
  let operator: OperatorProcess | undefined;
  let ending = false;
  let ended = "";

  const start = (): void => {
    const running = startCommand(["run", module, "--kubeconfig", cluster.kubeconfig], { keep: 8_000 });
    running.child.once("exit", (code) => {
      if (code !== null && !ending) ended += `\nthe operator ended by itself with ${code}`;
    });
    operator = running;
  };
  const output = (): string => `${operator?.output() ?? ""}${ended}`;
  /** Kills the process that runs now and starts the next one; what the dead one still had under way is dropped. */
  const kill = async (): Promise<void> => {
    const running = operator;
    operator = undefined;
    killed += 1;
    if (running === undefined) return;
    await running.kill();
    if (!ending) start();
  };
  const concerns = (write: WriteRequest): boolean => write.userAgent.startsWith("database-operator");
  const cluster = await startCluster({
    directory: join(workspace.folder, "cluster"),
    pods: "process",
    podPath: workspace.programs,
    interceptWrites: {
      before: async (write) => {
        if (!concerns(write)) return "proceed";
        if (operator === undefined) return "drop";
        arrived += 1;
        if (!kills(arrived, "before", write)) return "proceed";
        await kill();
        return "drop";
      },
      after: async (write) => {
        if (!concerns(write)) return "proceed";
        writes.push(`${write.verb} ${write.path.replace(/\.[0-9a-f]{8,}$/, "")}`);
        if (!kills(arrived, "after", write)) return "proceed";
        await kill();
        return "drop";
      },
    },
  });
  const client = createKubeClient(await loadConnection({ path: cluster.kubeconfig, env: {} }), {
    userAgent: "test",
  });
  const watching = new AbortController();
  try {
    const setup = startCommand(["generate", "crd", module, "-o", "json"]);
    await setup.exit;
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    await client.request({ method: "POST", path, body: JSON.parse(setup.output()) });
    await eventually(() => client.list(Database));

    const states: string[] = [];
    const secrets = new Set<string>();
    const follow = async <T extends KubeObject>(
      type: ResourceType<T>,
      see: (object: T) => void,
    ): Promise<void> => {
      try {
        for await (const event of client.watch(type, { signal: watching.signal })) {
          if (event.type === "ADDED" || event.type === "MODIFIED") see(event.object);
        }
      } catch (error) {
        if (!watching.signal.aborted) throw error;
      }
    };
    const followed = [
      follow(Database, ({ status }) => {
        const state = status?.lifecycle?.state;
        if (state !== undefined && state !== states.at(-1)) states.push(state);
      }),
      follow(Secret, ({ data }) => secrets.add(JSON.stringify(data))),
    ];

    start();
    const port = await freePort(databasePorts);
    const manifest: Manifest & { spec: object } = {
      apiVersion: "data.example.com/v1",
      kind: "Database",
      metadata: key,
      spec: { port, drainSeconds: 1, lifecycle: { desiredState: "Running" } },
    };
    await client.create(Database, manifest);
    const reached = (state: string): Promise<Database> =>
      eventually(async () => {
        const database = await client.get(Database, key);
        const target = database.status?.lifecycle?.["target"] as
          { state?: string; reached?: boolean } | undefined;
        const told = findCondition(database.status?.conditions, "ReconciliationSuccess");
        const isTold = told?.status === "True" && told.observedGeneration === database.metadata.generation;
        if (target?.state !== state || target.reached !== true || !isTold) {
          throw new Error(`${state} is not reached: ${JSON.stringify(database.status)}\n${output()}`);
        }
        return database;
      }, 240_000);
    const target = (desiredState: string) =>
      client.patch(Database, key, { type: "merge", body: { spec: { lifecycle: { desiredState } } } });
    await reached("Running");
    await target("Servicing");
    await reached("Servicing");
    await target("End");
    await reached("End");
    const outcome = await eventually(() => outcomeOf(client), 60_000);
    await client.delete(Database, key, { propagationPolicy: "Background" });
    const leftovers = await eventually(async () => {
      const left = await namesOf(client, [Database, StatefulSet, Service, ConfigMap, Secret, Pod]);
      if (left.length > 0) throw new Error(`still there: ${left.join(", ")}\n${output()}`);
      return left;
    }, 60_000);
    watching.abort();
    await Promise.all(followed);
    return {
      writes,
      kills: killed,
      path: states,
      outcome,
      backups: globSync(join(cluster.directory, "claims", "**", markerFile)),
      secretVersions: secrets.size,
      leftovers,
    };
  } finally {
    ending = true;
    watching.abort();
    await kill();
    await client.close();
    await cluster.stop();
    await workspace.remove();
  }
}

/** The end state, without what differs between two lives by nature. */
async function outcomeOf(client: KubeClient): Promise<unknown> {
  const database = await client.get(Database, key);
  const set = await client.get(StatefulSet, key);
  const pods = await client.list(Pod, { namespace: key.namespace });
  const running = pods.items.filter(({ status }) => status?.phase !== "Succeeded");
  if (running.length > 0 || set.spec.replicas !== 0) throw new Error("the server has not ended yet");
  const conditions = (database.status?.conditions ?? []).map(
    ({ type, status, reason, observedGeneration }) => ({
      type,
      status,
      reason,
      observedGeneration,
    }),
  );
  for (const type of ["Lifecycle", "ReconciliationSuccess"]) {
    if (findCondition(database.status?.conditions, type)?.status !== "True")
      throw new Error(JSON.stringify(conditions));
  }
  const { state, target, plan, tasks, timers } = (database.status?.lifecycle ??
    {}) as Partial<LifecycleStatus>;
  const children = await namesOf(client, [StatefulSet, Service, ConfigMap, Secret, PersistentVolumeClaim]);
  const owned = await Promise.all(
    [StatefulSet, Service, ConfigMap, Secret].map(async (type) => {
      const { items } = await client.list<KubeObject>(type, { namespace: key.namespace });
      return items.map(({ metadata }) =>
        metadata.ownerReferences?.map(({ uid }) => uid === database.metadata.uid),
      );
    }),
  );
  return {
    state,
    target,
    plan,
    tasks,
    timers,
    conditions,
    children,
    owned: owned.flat(),
    lastBackup: database.status?.lastBackup !== undefined,
  };
}

async function namesOf(client: KubeClient, types: readonly ResourceType[]): Promise<string[]> {
  const lists = await Promise.all(types.map((type) => client.list(type, { namespace: key.namespace })));
  return lists
    .flatMap(({ items }) => items.map(({ kind, metadata }) => `${kind}/${metadata.name}`))
    .filter((name) => name !== "ConfigMap/kube-root-ca.crt" && name !== "Service/kubernetes")
    .toSorted();
}
