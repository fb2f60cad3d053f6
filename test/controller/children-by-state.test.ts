// Children that belong to states of the application: made, changed and deleted as it moves, on the whole controller in one
// process with virtual time, killed at every write.
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { isNotFound } from "../../src/client/api-error.ts";
import { defineController, defineKind, defineOperator, type InstanceOf } from "../../src/index.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import type { ManifestOf } from "../../src/meta/object.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import type { DeathMoment, SimulatedWrite } from "../../src/testing/simulation/mortal-client.ts";
import { startOperatorProcess, type OperatorProcess } from "../../src/testing/simulation/operator-process.ts";
import { startSimulatedServer } from "../../src/testing/simulation/simulated-server.ts";

const namespace = "default";
const key = { namespace, name: "orders" };

const Store = defineKind({
  group: "data.example.com",
  version: "v1",
  kind: "Store",
  spec: z.object({}),
  lifecycle: setupLifecycle().createMachine({
    id: "store",
    version: "1",
    initial: "Start",
    states: {
      Start: { on: { "observed.Up": "Running" } },
      Running: { on: { "desired.Servicing": "Servicing", "desired.End": "Stopping" } },
      Servicing: {
        initial: "Copying",
        states: {
          Copying: { invoke: { id: "copy", src: "copy", onDone: "#store.Running" } },
        },
      },
      Stopping: { invoke: { id: "drain", src: "drain", onDone: "End" } },
      End: { type: "final" },
    },
  }),
});
type Store = InstanceOf<typeof Store>;

const configMap = (name: string, data: Record<string, string> = {}): ManifestOf<ConfigMap> => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace },
  data,
});

/** The children, and whether each belongs to a state. */
const belongs: Readonly<Record<string, (state: string) => boolean>> = {
  always: () => true,
  serving: (state) => state === "Running" || state.startsWith("Servicing"),
  copying: (state) => state === "Servicing:Copying",
  draining: (state) => state === "Stopping",
  door: (state) => state === "Running" || state === "Stopping",
};

/** Whether the operator is killed at a write. */
type Death = (write: SimulatedWrite, moment: DeathMoment) => boolean;

interface Life {
  readonly deaths: number;
  /** The children after each step. */
  readonly steps: readonly unknown[];
  /** What was made or deleted while the stored state did not ask for it. */
  readonly wrong: readonly string[];
  /** What was there when a task was started. */
  readonly startedWith: readonly string[];
}

/** One life: created, serviced once, deleted. */
async function live(dies: Death = () => false): Promise<Life> {
  const server = await startSimulatedServer([Store]);
  const { client, clock, core } = server;
  let deaths = 0;
  let process: OperatorProcess | undefined;
  const startedWith: string[] = [];
  const wrong: string[] = [];
  let state = "";
  const done = new Set<string>();
  const names = async (): Promise<string[]> =>
    (await client.list(ConfigMap, { namespace })).items.map(({ metadata, data }) =>
      [metadata.name, ...Object.values(data ?? {})].join(" "),
    );
  server.follow(Store, (object) => {
    state = (object as Store).status?.lifecycle?.state ?? "";
  });
  core.store.subscribe(core.registry.find("", "v1", "configmaps")?.storageKey ?? "", (change) => {
    const { name } = change.object.metadata;
    const { type } = change;
    if (type === "MODIFIED") return;
    if (belongs[name ?? ""]?.(state) !== (type === "ADDED")) wrong.push(`${type} ${name} in ${state}`);
  });
  const task = (name: string) => ({
    start: async () => {
      startedWith.push(`${name}: ${(await names()).toSorted().join(", ")}`);
    },
    observe: () => (done.has(name) ? { phase: "Succeeded" as const } : { phase: "Running" as const }),
    poll: "1s",
  });
  const operator = defineOperator({
    name: "store-operator",
    controllers: [
      defineController(Store, {
        owns: [ConfigMap],
        steps: {
          ObjectsGetter: ({ registry }) => {
            registry.add(configMap("always"));
            registry.add(configMap("copying"), { in: ["Servicing:Copying"] });
            registry.add(configMap("serving"), { in: ["Running", "Servicing"] });
            registry.add(configMap("door", { is: "open" }), { in: ["Running"] });
            registry.add(configMap("door", { is: "closed" }), { in: ["Stopping"] });
            registry.add(configMap("draining"), { in: ["Stopping"] });
          },
        },
        application: {
          observe: () => ({ state: "Up" as const }),
          tasks: { copy: task("copy"), drain: task("drain") },
          poll: "10s",
        },
      }),
    ],
  });
  const start = async (): Promise<void> => {
    process = await startOperatorProcess({
      core,
      clock,
      random: server.random,
      log: silentLogger,
      operator: () => operator,
      dies,
      onDeath: () => (deaths += 1),
    });
  };
  const settle = async (): Promise<string[]> => {
    for (let round = 0; round < 8; round += 1) {
      await clock.advance(2_000);
      while (process?.isAlive() !== true) {
        await start();
        await clock.advance(0);
      }
    }
    return (await names()).toSorted();
  };
  await start();
  await client.create(Store, {
    apiVersion: "data.example.com/v1",
    kind: "Store",
    metadata: key,
    spec: {},
  });
  const steps: unknown[] = [];
  const note = async (): Promise<void> => {
    const children = await settle();
    steps.push({ state, children });
  };
  await note();
  await client.patch(Store, key, {
    type: "merge",
    body: { spec: { lifecycle: { desiredState: "Servicing" } } },
  });
  await note();
  done.add("copy");
  await note();
  await client.delete(Store, key);
  await note();
  done.add("drain");
  await settle();
  const left = await client.get(Store, key).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  steps.push({ left: left?.status });
  const died = deaths;
  process?.kill();
  return { deaths: died, steps, wrong, startedWith };
}

describe("children that belong to states", () => {
  it("are there in these states and in no others, also while the resource is being deleted", async () => {
    const { steps, wrong } = await live();
    expect(steps).toEqual([
      { state: "Running", children: ["always", "door open", "serving"] },
      { state: "Servicing:Copying", children: ["always", "copying", "serving"] },
      { state: "Running", children: ["always", "door open", "serving"] },
      { state: "Stopping", children: ["always", "door closed", "draining"] },
      { left: undefined },
    ]);
    expect(wrong).toEqual([]);
  });

  it("are made, and those of other states deleted, before the tasks of a state are started", async () => {
    const { startedWith } = await live();
    expect(startedWith).toEqual(["copy: always, copying, serving", "drain: always, door closed, draining"]);
  });

  it("are the same when the operator is killed before and after every single write, and none is made or deleted for a state that is not stored", async () => {
    const calm = await live();
    // Each write is first lost with the process, then stored without the process ever learning of it.
    let next: DeathMoment = "before";
    const killed = await live(({ kind }, moment) => {
      if (kind === "Event" || moment !== next) return false;
      next = moment === "before" ? "after" : "before";
      return true;
    });
    expect(killed).toMatchObject({ steps: calm.steps, wrong: [] });
    expect(killed.deaths).toBeGreaterThan(2 * 15);
  });
});
