// What an operator in YAML costs beside the same in TypeScript: settled reconciles of memcached, which lists pods, renders a Deployment
// and compares its status; in turns, as a ratio of CPU in one run.
//   node --conditions=xstate-operator-source bench/micro/operator-file.ts [rounds]
import written from "../../examples/memcached/operator.ts";
import { createSharedCache } from "../../src/cache/shared-cache.ts";
import { createApiCore } from "../../src/cluster/api/create-core.ts";
import { registerDefinitions } from "../../src/cluster/api/custom/crd-registrar.ts";
import { createCoreClient } from "../../src/cluster/api/in-process/core-client.ts";
import { knowSecrets } from "../../src/cli/process-secrets.ts";
import { createController, type Controller } from "../../src/controller/controller.ts";
import type { OperatorDefinition } from "../../src/index.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import { readOperator } from "../../src/operator-file/index.ts";
import { sleep } from "../../src/ports/clock.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { print } from "./measure.ts";

const rounds = Number(process.argv[2] ?? 40);
const resources = 200;
// Timers of the library keep no process alive, and there is no socket that would.
setInterval(() => undefined, 60_000);

/** A controller of all resources, with a server of its own, that has nothing left to do. */
async function start(operator: OperatorDefinition): Promise<Controller> {
  const [definition] = operator.controllers;
  if (definition === undefined) throw new Error("no controller");
  const core = createApiCore({ clock: systemClock, random: systemRandom, log: silentLogger });
  registerDefinitions(core);
  const client = createCoreClient({ core, userAgent: operator.name });
  const { kind } = definition;
  await client.apply(CustomResourceDefinition, crdOf(kind), { fieldManager: "bench", force: true });
  for (let index = 0; index < resources; index += 1) {
    const metadata = { name: `cache-${index}`, namespace: "default" };
    const object = {
      apiVersion: `${kind.group}/${kind.version}`,
      kind: kind.kind,
      metadata,
      spec: { size: 3 },
    };
    await client.create(kind, object);
  }
  const secrets = await knowSecrets(operator);
  const parts = { client, clock: systemClock, random: systemRandom, log: silentLogger };
  const cache = createSharedCache(parts);
  const events = { record: () => undefined, flush: () => Promise.resolve(), dropped: 0 };
  const controller = createController({
    ...parts,
    definition,
    operator: operator.name,
    cache,
    secrets: secrets.keeper,
    events,
    namespaces: [],
  });
  cache.start(new AbortController().signal);
  await cache.whenSynced();
  void controller.run();
  do await sleep(systemClock, 200);
  while (controller.queue.depth + controller.queue.processing > 0);
  return controller;
}

/** Reconciles every resource once; microseconds of CPU for each. */
async function reconcile({ queue }: Controller): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < resources; index += 1) {
    queue.add(`default/cache-${index}`, { cause: { reason: "resync" } });
  }
  while (queue.depth + queue.processing > 0) await new Promise((resolve) => setImmediate(resolve));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / resources;
}

const typescript = await start(written);
const yaml = await start(readOperator("examples/memcached/operator.yaml"));
const costs: number[] = [];
const ratios: number[] = [];
// Some rounds first, until everything is compiled.
for (let round = -5; round < rounds; round += 1) {
  const [first, second] = round % 2 === 0 ? [typescript, yaml] : [yaml, typescript];
  const [one, other] = [await reconcile(first), await reconcile(second)];
  if (round < 0) continue;
  const [code, file] = round % 2 === 0 ? [one, other] : [other, one];
  costs.push(code);
  ratios.push(file / code);
}
print("a settled reconcile, in TypeScript", `${median(costs).toFixed(0)} us`);
print("the same in YAML", `${median(ratios).toFixed(2)} times`);
process.exit();

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
