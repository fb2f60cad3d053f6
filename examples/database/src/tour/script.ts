// What the tour does, step by step. It sets desired states and waits; everything else is the operator's work.
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isInvalid, isNotFound, type KubeClient } from "xstate-operator/client";
import { Pod } from "xstate-operator/kinds";
import { parse } from "yaml";
import { Database } from "../database/database.ts";
import { podKey } from "../database/resources/names.ts";
import { applicationDatabase } from "../postgres/settings.ts";
import { markerFile } from "../sidecar/backup-marker.ts";
import { verifyBackup } from "./verify-backup.ts";
import { connectApplication, type ApplicationClient } from "./application-client.ts";
import { runCommand } from "./command-line.ts";
import { stateOf, tasksOf } from "./happening.ts";
import type { Narrator } from "./narrator.ts";
import type { OperatorProcess } from "./operator-process.ts";
import type { Watcher } from "./watcher.ts";
import type { Workspace } from "./workspace.ts";

const namespace = "default";
const name = "orders";

/** What the server runs with after its reconfiguration. */
const newConfiguration = { maxConnections: 80, parameters: { work_mem: "16MB" } };

/** What the steps work with. */
export interface Stage {
  readonly client: KubeClient;
  /** For what is done by the command line. */
  readonly kubeconfig: string;
  readonly narrator: Narrator;
  readonly watcher: Watcher;
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
  readonly operator: OperatorProcess;
}

/** What the tour has shown. */
export interface TourResult {
  /** The row that the restored backup gave. */
  readonly restored: Record<string, unknown>;
}

/** Plays the tour. Errors: with the sentence that says what did not happen. */
export async function playTour(stage: Stage): Promise<TourResult> {
  const database = await createDatabase(stage);
  let application = await connectApplication(stage.client, database);
  try {
    await useDatabase(stage, application);
    await callOffBackup(stage, application);
    application = await reconfigure(stage);
    const restored = await backUpDespiteCrash(stage, application);
    await stopDatabase(stage, application);
    return { restored };
  } finally {
    await application.close().catch(() => undefined);
  }
}

/** Applies the sample, with a backup slow enough to be watched. */
async function createDatabase({ client, narrator, watcher }: Stage): Promise<Database> {
  narrator.step("A Database is requested: kubectl apply -f examples/database/samples/database.yaml");
  const sample = parse(
    await readFile(new URL("../../samples/database.yaml", import.meta.url), "utf8"),
  ) as Database;
  // The usual port may be taken on this machine.
  const manifest = { ...sample, spec: { ...sample.spec, port: await freePort() } };
  await client.create(Database, manifest, { fieldManager: "tour" });
  return watcher.until("the database runs", 60, serves);
}

/** A port that nobody listens on, nor on the next one, where the sidecar answers. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = await listenOnce(0);
    if (port !== undefined && (await listenOnce(port + 1)) !== undefined) return port;
  }
}

/** The port that a server got which was closed at once; undefined when somebody else has it. */
async function listenOnce(wanted: number): Promise<number | undefined> {
  const server = createServer().listen(wanted, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return undefined;
  }
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function useDatabase({ narrator }: Stage, application: ApplicationClient): Promise<void> {
  narrator.step("An application writes to it");
  for (const customer of ["Ada", "Edsger", "Grace"]) await application.write(customer);
  narrator.say(`PostgreSQL has ${await application.count()} orders in the table "orders"`);
}

/** A change that the API server refuses while a backup is under way, and a person who calls the backup off. */
async function callOffBackup(stage: Stage, application: ApplicationClient): Promise<void> {
  const { kubeconfig, narrator, signal, watcher } = stage;
  narrator.step(
    'A backup is requested (desiredState "Servicing"), and in the middle of it another configuration',
  );
  await desire(stage, { desiredState: "Servicing" });
  await watcher.until("the backup is under way", 30, (each) => tasksOf(each)["backup"]?.phase === "Running");
  narrator.say(`the API server: ${await refusalOf(patch(stage, newConfiguration))}`);

  const command = ["send", `database/${name}`, "abort"];
  narrator.step(`A person calls the backup off: xstate-operator ${command.join(" ")}`);
  for (const line of await runCommand([...command, "--wait", "--kubeconfig", kubeconfig], signal)) {
    narrator.say(line);
  }
  await watcher.until("the database runs on", 30, (each) => stateOf(each) === "Running");
  await eventually("what there is of the backup is removed", signal, async () => {
    const { begun } = await backupsIn(await application.backupFolder());
    return begun.length === 0 ? true : undefined;
  });
  narrator.say("the sidecar has ended the backup, and removed what was written of it");
}

/** The same change where it can be carried out: the server is started again, and asked with what it runs. */
async function reconfigure(stage: Stage): Promise<ApplicationClient> {
  const { client, narrator, watcher } = stage;
  narrator.step("The other configuration is applied again: now the database is Running");
  await patch(stage, newConfiguration);
  await watcher.until("the server is reconfigured", 30, (each) => stateOf(each) === "Reconfiguring");
  const database = await watcher.until("the database runs again", 60, serves);
  const application = await connectApplication(client, database);
  for (const setting of ["max_connections", "work_mem"]) {
    narrator.say(`PostgreSQL itself: ${setting} is ${await application.show(setting)}`);
  }
  return application;
}

/** A backup that outlives its operator: killed in the middle, started again, taken once. */
async function backUpDespiteCrash(
  stage: Stage,
  application: ApplicationClient,
): Promise<Record<string, unknown>> {
  const { narrator, operator, signal, watcher, workspace } = stage;
  narrator.step('A backup is requested once more: desiredState "Servicing", request "second"');
  await desire(stage, { desiredState: "Servicing", request: "second" });
  await watcher.until("the backup is under way", 30, (database) => backupProgress(database) >= 0.1);

  narrator.step(`The operator is killed in the middle of it: kill -9 ${operator.pid}`);
  await operator.crash();
  await application.write("Barbara");
  narrator.say(
    `the application goes on writing (${await application.count()} orders), the sidecar with the backup, too`,
  );
  await delay(1_500, undefined, { signal });
  operator.start();
  narrator.say(
    `the operator is started again, as process ${operator.pid}, and reads from the status where it was`,
  );
  const done = await watcher.until(
    "the backup is done",
    60,
    (database) => stateOf(database) === "Running" && database.status?.lastBackup !== undefined,
  );
  const folder = await application.backupFolder();
  const { finished } = await backupsIn(folder);
  narrator.say(`one request, one backup: ${finished.join(", ")}`);
  if (finished.length !== 1) throw new Error("the backup was taken more than once");

  narrator.step("The backup is restored into a second server, and read");
  const backup = join(folder, done.status?.lastBackup?.name ?? "");
  const [row] = await verifyBackup({
    backup,
    postgres: workspace.postgres,
    database: applicationDatabase,
    query: "SELECT id, customer FROM orders WHERE customer = 'Grace'",
    workspace: workspace.folder,
    signal,
  });
  if (row === undefined) throw new Error("the restored backup lacks the row that was written before it");
  narrator.say(`the restored row: ${JSON.stringify(row)}`);
  return row;
}

/** The backups in a folder: those that are finished, and those that are not. */
async function backupsIn(folder: string): Promise<{ readonly finished: string[]; readonly begun: string[] }> {
  const names = (await readdir(folder)).filter((each) => each.startsWith("backup-"));
  const isFinished = (each: string): boolean => existsSync(join(folder, each, markerFile));
  return { finished: names.filter(isFinished), begun: names.filter((each) => !isFinished(each)) };
}

/** A stop that lets the connected application finish and admits nobody else. */
async function stopDatabase(stage: Stage, application: ApplicationClient): Promise<void> {
  const { client, narrator, signal, watcher } = stage;
  narrator.step('The end is requested while an application is connected: desiredState "End"');
  await desire(stage, { desiredState: "End" });
  const stopping = await watcher.until("the database stops", 30, (each) => stateOf(each) === "Stopping");
  narrator.say(`a second application knocks: ${await knock(client, stopping, signal)}`);
  await application.write("Katherine");
  narrator.say(`the first one finishes its work (${await application.count()} orders) and leaves`);
  await application.close();
  await watcher.until("the database has ended", 60, (each) => stateOf(each) === "End");
  await waitForNoPods(stage);
  narrator.say("the server has ended; its data is kept (deletionPolicy: Retain)");
}

/** Tries to connect until it is refused, and says how it was refused. */
async function knock(client: KubeClient, database: Database, signal: AbortSignal): Promise<string> {
  return eventually("the stopping database refuses connections", signal, async () => {
    try {
      await (await connectApplication(client, database)).close();
      return undefined;
    } catch (error) {
      return `refused (${error instanceof Error ? error.message : String(error)})`;
    }
  });
}

/** Whether it runs and says where. */
function serves(database: Database): boolean {
  return stateOf(database) === "Running" && database.status?.endpoint !== undefined;
}

/** How much of a backup is done, as the status says. */
function backupProgress(database: Database): number {
  return tasksOf(database)["backup"]?.progress ?? 0;
}

/** Sets the desired state. */
function desire(stage: Stage, lifecycle: { desiredState: string; request?: string }): Promise<void> {
  return patch(stage, { lifecycle });
}

/** Changes the spec, as `kubectl patch` would. */
async function patch({ client, signal }: Stage, spec: object): Promise<void> {
  const merge = { type: "merge", body: { spec } } as const;
  await client.patch(Database, { namespace, name }, merge, { fieldManager: "tour", signal });
}

/** What the API server says against a change. Errors: when it says nothing, or the change failed otherwise. */
async function refusalOf(change: Promise<void>): Promise<string> {
  try {
    await change;
  } catch (error) {
    if (isInvalid(error)) return error.message;
    throw error;
  }
  throw new Error("the configuration was changed in the middle of a backup");
}

async function waitForNoPods({ client, signal }: Stage): Promise<void> {
  await eventually("the server's pod ends", signal, async () => {
    try {
      await client.get(Pod, podKey({ metadata: { namespace, name } }), { signal });
      return undefined;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  });
}

/** Looks until there is an answer. Errors: when there is none within 30 s. */
async function eventually<T>(
  what: string,
  signal: AbortSignal,
  look: () => Promise<T | undefined>,
): Promise<T> {
  for (const deadline = performance.now() + 30_000; performance.now() < deadline;) {
    const answer = await look();
    if (answer !== undefined) return answer;
    await delay(100, undefined, { signal });
  }
  throw new Error(`${what}: not within 30 s`);
}
