// What grows with the children of a resource, the size of an object, the number of controllers and the number of resources: CPU of this
// process for each of them, at one, two, four and eight times as many, where the API server is a table in memory.
//   node --conditions=xstate-operator-source bench/micro/growth.ts [children|size|controllers|resources]
import { defineController, defineKind, type KubeObject } from "xstate-operator";
import { ConfigMap } from "xstate-operator/kinds";
import { z } from "zod";
import { print } from "./measure.ts";
import { runOnTable, Table } from "./support/table.ts";

const only = process.argv[2];
const times = 10;

const kindCalled = (kind: string) =>
  defineKind({
    group: "bench.example.com",
    version: "v1",
    kind,
    spec: z.object({ children: z.int(), data: z.record(z.string(), z.string()) }),
  });

/** A controller of resources that have so many ConfigMaps with the same data. */
const controllerOf = (kind: string, spread: boolean) =>
  defineController(kindCalled(kind), {
    owns: [ConfigMap],
    steps: {
      ObjectsGetter: ({ cr: { metadata, spec }, registry }) =>
        registry.add(
          ...Array.from({ length: spec.children }, (_, child) => ({
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: `${metadata.name}-${child}` },
            data: spread ? { ...spec.data, child: `${child}` } : spec.data,
          })),
        ),
    },
  });

const dataOf = (fields: number, length: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: fields }, (_, at) => [`key-${at}`, "x".repeat(length)]));

interface Case {
  readonly resources?: number;
  readonly controllers?: number;
  readonly children?: number;
  readonly data?: Readonly<Record<string, string>>;
  /** Whether each child is declared with a map of its own. */
  readonly spread?: boolean;
}

/** Milliseconds of CPU: until all is there, for a run in which a child was changed, and for one in which nothing was. */
async function costOf({ resources = 1, controllers = 1, children = 1, data = {}, spread = true }: Case) {
  const table = new Table();
  const definitions = Array.from({ length: controllers }, (_, at) => controllerOf(`Herd${at}`, spread));
  for (const { kind } of definitions) {
    for (let at = 0; at < resources; at += 1) {
      const typed = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind };
      const metadata = { namespace: "bench", name: `${kind.kind.toLowerCase()}-${at}` };
      table.write(kind, { ...typed, metadata, spec: { children, data } } as unknown as KubeObject);
    }
  }
  const cpu = async (work: () => Promise<void>): Promise<number> => {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const running = await runOnTable(table, definitions);
  const all = await cpu(() => running.settle());
  const of = async (change: (at: number) => void): Promise<number> => {
    const idle = await cpu(() => running.settle());
    let sum = 0;
    for (let time = 0; time < times; time += 1) {
      sum += await cpu(async () => {
        change(time);
        await running.settle();
      });
    }
    return sum / times - idle;
  };
  const first = "herd0-0";
  const child = await of((time) =>
    table.edit(ConfigMap, { namespace: "bench", name: `${first}-0` }, (object) => {
      (object as unknown as { data: Record<string, string> }).data["child"] = `changed ${time}`;
    }),
  );
  const nothing = await of(() => running.look(`bench/${first}`));
  await running.drain();
  return { all, child, nothing };
}

async function table(what: string, cases: readonly (readonly [string, Case])[]): Promise<void> {
  for (const [name, each] of cases) {
    const { all, child, nothing } = await costOf(each);
    const figures = [all, child, nothing].map((milliseconds) => `${milliseconds.toFixed(1)} ms`);
    print(`${what}: ${name}; all, a child changed, nothing`, figures.join(", "));
  }
}

const doubled = (first: number): readonly number[] => [1, 2, 4, 8].map((factor) => factor * first);

const tables: Readonly<Record<string, () => Promise<void>>> = {
  children: () =>
    table(
      "children",
      doubled(625).map((children) => [`${children}`, { children, data: dataOf(4, 50) }]),
    ),
  size: async () => {
    const sizes = [1, 10, 100, 1_000] as const;
    const named = (fields: number, length: number, spread: boolean): readonly [string, Case] => [
      `${fields} fields of ${length} characters`,
      { data: dataOf(fields, length), spread },
    ];
    await table(
      "long texts",
      sizes.map((size) => named(10, 50 * size, true)),
    );
    await table(
      "many fields",
      sizes.map((size) => named(10 * size, 50, true)),
    );
    await table(
      "many fields, handed on",
      sizes.map((size) => named(10 * size, 50, false)),
    );
  },
  controllers: () =>
    table(
      "controllers",
      doubled(7).map((controllers) => [`${controllers}`, { controllers, resources: 20 }]),
    ),
  resources: () =>
    table(
      "resources",
      doubled(5_000).map((resources) => [`${resources}`, { resources, data: dataOf(4, 50) }]),
    ),
};

for (const [name, print] of Object.entries(tables)) if (only === undefined || only === name) await print();
process.exit();
