// What a burst of new Widgets costs this process, with a lifecycle and without, and healing each of them once, where the API server is a
// table in memory: all but HTTP.
//   node --conditions=xstate-operator-source bench/micro/burst.ts [Widgets] [rounds] [plain|lifecycle]
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import type { ControllerDefinition } from "../../src/controller/declaration/define-controller.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import type { ObjectKey } from "../../src/meta/object-key.ts";
import withLifecycle from "../src/xstate-operator/lifecycle.ts";
import plain from "../src/xstate-operator/operator.ts";
import { print } from "./measure.ts";
import { runOnTable, Table } from "./support/table.ts";

const count = Number(process.argv[2] ?? 1_000);
const rounds = Number(process.argv[3] ?? 1);
const only = process.argv[4];

async function burst(what: string, [definition]: readonly ControllerDefinition[]): Promise<void> {
  if (definition === undefined) throw new Error(`${what} has no controller`);
  const { kind } = definition;
  const table = new Table();
  const payload = Object.fromEntries(Array.from({ length: 4 }, (_, at) => [`key-${at}`, "x".repeat(100)]));
  for (let index = 0; index < count; index += 1) {
    const metadata = { namespace: "bench", name: `widget-${index}` };
    const typed = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind };
    table.write(kind, { ...typed, metadata, spec: { size: index, payload } } as unknown as KubeObject);
  }
  table.writes = 0;
  const before = process.cpuUsage();
  const running = await runOnTable(table, [definition]);
  const report = (each: string, since: NodeJS.CpuUsage): void => {
    const { user, system } = process.cpuUsage(since);
    print(`${what}: CPU for each of ${count} ${each}`, `${((user + system) / count).toFixed(0)} us`);
    print(`${what}: writes for each`, (table.writes / count).toFixed(2));
  };
  await running.settle();
  for (let index = 0; index < count; index += 1) {
    if (!table.isReady(kind, `widget-${index}`)) throw new Error(`widget-${index} is not ready`);
  }
  report("new", before);
  table.writes = 0;
  const healthy = process.cpuUsage();
  const childOf = (index: number): ObjectKey => ({ namespace: "bench", name: `w-widget-${index}` });
  for (let index = 0; index < count; index += 1) table.lose(ConfigMap, childOf(index));
  await running.settle();
  for (let index = 0; index < count; index += 1) {
    if (!table.has(ConfigMap, childOf(index))) throw new Error(`the child of widget-${index} is not healed`);
  }
  report("healed", healthy);
  await running.drain();
}

for (let round = 0; round < rounds; round += 1) {
  if (only !== "lifecycle") await burst("Widget", plain.controllers);
  if (only !== "plain") await burst("Widget with a lifecycle", withLifecycle.controllers);
}
process.exit();
