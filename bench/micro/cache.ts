// The cache: memory, time to be complete, and CPU for an update, with so many objects of about 1 KB.
//   node --expose-gc --conditions=xstate-operator-source bench/micro/cache.ts [objects]
import { createSharedCache } from "../../src/cache/shared-cache.ts";
import type { KubeClient, WatchReceiver } from "../../src/client/kube-client.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { print, usedMegabytes } from "./measure.ts";

const count = Number(process.argv[2] ?? 100_000);
const updates = 100_000;

/** An object as it comes from the wire: a text of its own for each, parsed. */
function objectOf(index: number, version: number): ConfigMap {
  const metadata = {
    name: `object-${index}`,
    namespace: "default",
    uid: `00000000-0000-0000-0000-${String(index).padStart(12, "0")}`,
    resourceVersion: String(version),
    creationTimestamp: "2026-01-01T00:00:00Z",
    labels: { app: "bench" },
  };
  const data = Object.fromEntries(
    Array.from({ length: 8 }, (_, key) => [`key-${key}`, `${index} `.padEnd(80, "x")]),
  );
  return JSON.parse(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata, data })) as ConfigMap;
}

async function follow(_: unknown, __: unknown, receive: WatchReceiver<KubeObject>): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    void receive({ type: "ADDED", object: objectOf(index, index + 1) });
  }
  void receive({ type: "BOOKMARK", resourceVersion: String(count), initialEventsEnd: true });
  await updating.promise;
  for (let index = 0; index < updates; index += 1) {
    void receive({ type: "MODIFIED", object: objectOf(index % count, count + index + 1) });
  }
  updated.resolve();
  await new Promise(() => undefined);
}
const updating = Promise.withResolvers<void>();
const updated = Promise.withResolvers<void>();

const before = usedMegabytes();
const started = performance.now();
const cache = createSharedCache({
  client: { follow } as unknown as KubeClient,
  clock: systemClock,
  random: systemRandom,
  log: silentLogger,
});
const informer = cache.informer(ConfigMap);
informer.addIndex("app", ({ metadata }) => [metadata.labels?.["app"] ?? ""]);
cache.start(new AbortController().signal);
await cache.whenSynced();
print(`cache of ${count}: complete after`, `${(performance.now() - started).toFixed(0)} ms`);
const after = usedMegabytes();
print("heap", `${(after.heap - before.heap).toFixed(0)} MB`);
print("heap per object", `${(((after.heap - before.heap) * 1e6) / count).toFixed(0)} bytes`);
print("resident", `${(after.resident - before.resident).toFixed(0)} MB`);
const cpu = process.cpuUsage();
updating.resolve();
await updated.promise;
const { user, system } = process.cpuUsage(cpu);
print("update, parsing included", `${((user + system) / updates).toFixed(1)} us`);
process.exit();
