// A custom resource with many children, over a distance: what counts is the round trip. How long it takes until all are there and until
// all are gone, beside what one request after the other would take in the same run; and what the status says meanwhile.
//   node --conditions=xstate-operator-source bench/micro/many-children.ts [children] [milliseconds of round trip]
import { setTimeout as delay } from "node:timers/promises";
import { defineController, defineKind, defineOperator, runOperator } from "xstate-operator";
import { createKubeClient, loadConnection } from "xstate-operator/client";
import { startCluster } from "xstate-operator/cluster";
import { ConfigMap } from "xstate-operator/kinds";
import { z } from "zod";

const children = Number(process.argv[2] ?? 2_000);
const roundTrip = Number(process.argv[3] ?? 40);
/** So many are enough to know what one costs. */
const oneByOne = Math.max(10, Math.round(children / 20));

const herd = { group: "bench.example.com", version: "v1", spec: z.object({ size: z.int() }) };
const Herd = defineKind({ ...herd, kind: "Herd" });
const Queue = defineKind({ ...herd, kind: "Queue" });

interface Sized {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly size: number };
}

const childrenOf = ({ metadata, spec }: Sized) =>
  Array.from({ length: spec.size }, (_, child) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `${metadata.name}-${child}` },
    data: { size: "1" },
  }));

const operator = defineOperator({
  name: "herd-operator",
  controllers: [
    defineController(Herd, {
      owns: [ConfigMap],
      timeout: "10m",
      steps: {
        ObjectsGetter: ({ cr, registry }) => registry.add(...childrenOf(cr)),
        CRFinalizer: async ({ cr, registry }) => {
          registry.add(...childrenOf(cr));
          await registry.deleteAll();
        },
      },
    }),
    defineController(Queue, {
      owns: [ConfigMap],
      timeout: "10m",
      freeStyle: async ({ cr, registry }) => {
        registry.add(...childrenOf(cr));
        // The first failure is the last: so it is one after the other.
        await registry.createOrUpdateAll({ stopOnError: true });
      },
    }),
  ],
});

const cluster = await startCluster({ controllers: false });
const client = createKubeClient(await loadConnection({ path: cluster.kubeconfig, env: {} }));
const end = new AbortController();
const log = { debug() {}, info() {}, warn() {}, error: console.error, child: () => log };
const ready = Promise.withResolvers<void>();
const running = runOperator(operator, {
  connection: { kubeconfig: cluster.kubeconfig },
  installCrds: true,
  log,
  signal: end.signal,
  onReady: ready.resolve,
});
await ready.promise;
cluster.faults.delay({}, roundTrip);

/** Seconds until it is so; what the status says meanwhile is printed when it changes. */
async function secondsUntil(
  type: typeof Herd,
  name: string,
  isSo: (message: string | undefined) => boolean,
): Promise<number> {
  const begun = performance.now();
  let said = "";
  for (;;) {
    const found = await client.get(type, { namespace: "default", name }).catch(() => undefined);
    const condition = found?.status?.conditions?.find(({ type: each }) => each === "ReconciliationSuccess");
    const seconds = (performance.now() - begun) / 1_000;
    if (isSo(found === undefined ? undefined : (condition?.message ?? ""))) return seconds;
    if (condition !== undefined && condition.message !== said) {
      said = condition.message;
      console.log(`  after ${seconds.toFixed(1)} s: ${said}`);
    }
    await delay(200);
  }
}

async function make(type: typeof Herd, name: string, size: number): Promise<number> {
  const apiVersion = `${type.group}/${type.version}`;
  await client.create(type, {
    apiVersion,
    kind: type.kind,
    metadata: { namespace: "default", name },
    spec: { size },
  });
  return secondsUntil(type, name, (message) => message === `${size} resources are as declared`);
}

const line = (what: string, seconds: number): void =>
  console.log(`${what.padEnd(44)} ${seconds.toFixed(1)} s`);
line(`${children} children, ${roundTrip} ms of round trip`, await make(Herd, "many", children));
await client.delete(Herd, { namespace: "default", name: "many" });
line("the same deleted", await secondsUntil(Herd, "many", (message) => message === undefined));
const few = await make(Queue, "few", oneByOne);
line(`${oneByOne} of them one after the other`, few);
line(`so all of them one after the other`, (few * children) / oneByOne);

end.abort();
await running;
await client.close();
await cluster.stop();
