// What it costs to be watched: reconciles of 1,000 resources in a process that is inspected, journalled or traced, as
// ratios of CPU to one that is not, each measured in turns with it; the figure is the median of all pairs of measurements, of which those
// are none in which V8 happened to collect the heap of all of them.
// A reconcile here writes nothing and waits for nobody, so the share of being watched is as large as it can be.
//   node --conditions=xstate-operator-source bench/micro/watched.ts [pairs]
import { createHash } from "node:crypto";
import { AlwaysOffSampler, BasicTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { z } from "zod";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { knowSecrets } from "../../src/cli/process-secrets.ts";
import { createSharedCache } from "../../src/cache/shared-cache.ts";
import { createApiCore } from "../../src/cluster/api/create-core.ts";
import { registerDefinitions } from "../../src/cluster/api/custom/crd-registrar.ts";
import { createCoreClient } from "../../src/cluster/api/in-process/core-client.ts";
import { createController, type Controller, type ControllerParts } from "../../src/controller/controller.ts";
import { RunLog } from "../../src/dashboard/run-log.ts";
import { defineController, defineKind, defineOperator } from "../../src/index.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import { InspectionBridge, type InspectionChoice } from "../../src/inspect/inspection-bridge.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import { createTracing } from "../../src/manager/open-telemetry.ts";
import { RecentRuns } from "../../src/manager/recent-runs.ts";
import { sleep } from "../../src/ports/clock.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { print } from "./measure.ts";

const pairs = Number(process.argv[2] ?? 25);
const resources = 1_000;
/** So many here, then as many there: what else the machine does hits both. */
const atATime = 50;
const operator = "lamps";

const Lamp = defineKind({
  group: "bench.example.com",
  version: "v1",
  kind: "Lamp",
  spec: z.object({ size: z.int().default(1) }),
  lifecycle: setupLifecycle().createMachine({
    id: "lamp",
    version: "1",
    initial: "Off",
    states: {
      Off: { on: { "observed.On": "On" } },
      On: { on: { "observed.Off": "Off", "desired.End": "End" } },
      End: { type: "final" },
    },
  }),
});
const definition = defineController(Lamp, {
  owns: [ConfigMap],
  workers: 16,
  steps: {
    ObjectsGetter: ({ cr, registry }) => {
      const { name } = cr.metadata;
      registry.add({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name },
        data: { size: String(cr.spec.size) },
      });
    },
  },
  application: { observe: () => ({ state: "On" }), tasks: {}, actions: {} },
});

// What every text is looked through for: the Secrets that a process of some size has read.
const secrets = await knowSecrets(defineOperator({ name: operator, controllers: [definition] }));
for (let index = 0; index < 200; index += 1) {
  const password = createHash("sha256").update(String(index)).digest("base64");
  secrets.keeper.note({ stringData: { password, connection: `postgres://app:${password}@db-${index}/app` } });
}

// Timers of the library keep no process alive, and there is no socket that would.
setInterval(() => undefined, 60_000);

const core = createApiCore({ clock: systemClock, random: systemRandom, log: silentLogger });
registerDefinitions(core);
const client = createCoreClient({ core, userAgent: operator });
await client.apply(CustomResourceDefinition, crdOf(Lamp), { fieldManager: operator, force: true });
const keys = Array.from({ length: resources }, (_, index) => `default/lamp-${index}`);
for (const key of keys) {
  const metadata = { name: key.slice("default/".length), namespace: "default" };
  await client.create(Lamp, {
    apiVersion: "bench.example.com/v1",
    kind: "Lamp",
    metadata,
    spec: { size: 1 },
  });
}

type Watched = Pick<ControllerParts, "inspector" | "journal" | "tracing">;

/** A controller of all resources, in a process of its own as far as it knows, that has nothing left to do. */
async function start(watched: Watched): Promise<Controller> {
  const parts = { client, clock: systemClock, random: systemRandom, log: silentLogger };
  const cache = createSharedCache(parts);
  const controller = createController({
    ...parts,
    ...watched,
    definition,
    operator,
    cache,
    secrets: secrets.keeper,
    events: { record: () => undefined, flush: () => Promise.resolve(), dropped: 0 },
    namespaces: [],
  });
  cache.start(new AbortController().signal);
  await cache.whenSynced();
  void controller.run();
  await settled(controller);
  return controller;
}

async function settled({ queue }: Controller): Promise<void> {
  do await sleep(systemClock, 200);
  while (queue.depth + queue.processing > 0);
}

/** Reconciles these resources once; microseconds of CPU. */
async function reconcile({ queue }: Controller, some: readonly string[]): Promise<number> {
  const before = process.cpuUsage();
  for (const key of some) queue.add(key, { cause: { reason: "modified", kind: "Lamp", object: key } });
  while (queue.depth + queue.processing > 0) await new Promise((resolve) => setImmediate(resolve));
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Reconciles every resource in both, some here and the same there, in turns; microseconds of CPU for each, turn by turn. */
async function compare(here: Controller, there: Controller): Promise<readonly (readonly [number, number])[]> {
  const turns: (readonly [number, number])[] = [];
  for (let first = 0; first < resources; first += atATime) {
    const some = keys.slice(first, first + atATime);
    const spent: [number, number] = [0, 0];
    for (const side of turns.length % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      spent[side] = (await reconcile(side === 0 ? here : there, some)) / atATime;
    }
    turns.push(spent);
  }
  return turns;
}

/** An inspector with a viewer that is sent texts, as by the server. */
function inspected(choice?: InspectionChoice): Watched {
  const inspector = new InspectionBridge({ now: () => systemClock.now(), sanitize: secrets.sanitizer() });
  const send = (message: unknown): boolean => JSON.stringify(message).length > 0;
  if (choice !== undefined) inspector.attach({ choice, send });
  return { inspector };
}

async function traced(provider?: BasicTracerProvider): Promise<Watched> {
  return { tracing: await createTracing(provider) };
}

const exporter = {
  export: (_: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
  shutdown: () => Promise.resolve(),
};
const one = { kind: "Lamp", namespace: "default", name: "lamp-500" };
const variants: Readonly<Record<string, Watched>> = {
  "nothing (how far two equal ones differ)": {},
  "inspection on, nobody looks": inspected(),
  "inspection on, one resource of 1,000 is looked at": inspected(one),
  "inspection on, all resources are looked at": inspected({}),
  "journal of runs (always on)": { journal: new RecentRuns() },
  "journal of runs, and the dashboard's": { journal: new RecentRuns(new RunLog()) },
  "tracing, no provider": await traced(),
  "tracing, no trace sampled": await traced(new BasicTracerProvider({ sampler: new AlwaysOffSampler() })),
  "tracing, every trace recorded": await traced(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  ),
};

const plain = await start({});
const measured = await Promise.all(
  Object.entries(variants).map(async ([name, watched]) => ({
    name,
    controller: await start(watched),
    ratios: [] as number[],
  })),
);
const costs: number[] = [];
// Some pairs first, until everything is compiled.
for (let pair = -2; pair < pairs; pair += 1) {
  for (const { controller, ratios } of measured) {
    const turns = await compare(plain, controller);
    if (pair < 0) continue;
    for (const [off, watched] of turns) {
      costs.push(off);
      ratios.push(watched / off);
    }
  }
}
print("a reconcile that is not watched", `${median(costs).toFixed(0)} us`);
for (const { name, ratios } of measured) {
  const spread = [0.25, 0.75].map((part) => percent(quantile(ratios, part))).join(" to ");
  print(name, `${percent(median(ratios))}   (half of the pairs: ${spread})`);
}
process.exit();

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function quantile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(part * (values.length - 1))] ?? Number.NaN;
}

function percent(ratio: number): string {
  const difference = (ratio - 1) * 100;
  return `${difference < 0 ? "" : "+"}${difference.toFixed(1)} %`;
}
