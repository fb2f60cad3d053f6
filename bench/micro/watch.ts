// What it costs to hear of changes: CPU from the socket to the controller's queue, over TLS, of a start with so many custom
// resources and as many children, and of as many changes of the resources after it. The server is another process.
//   node --expose-gc --conditions=xstate-operator-source bench/micro/watch.ts [objects]
import type { RequestListener } from "node:http";
import { z } from "zod";
import { createSharedCache } from "../../src/cache/shared-cache.ts";
import { createController } from "../../src/controller/controller.ts";
import { defineController, defineKind } from "../../src/index.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { serveOverTls, startOther } from "./other-process.ts";
import { print, usedMegabytes } from "./measure.ts";

const count = Number(process.argv[2] ?? 10_000);
const group = "bench.example.com";

if (process.send === undefined) await measureWatch();
else await serve(process.send.bind(process));

/** The other process: tells what exists on every watch, and changes all Widgets when it is told to. */
async function serve(report: (message: unknown) => unknown): Promise<void> {
  const listener: RequestListener = (request, response) => {
    const objectOf = request.url?.includes("widgets") === true ? widgetOf : configMapOf;
    response.writeHead(200, { "content-type": "application/json" });
    const send = (type: string, object: unknown) => response.write(`${JSON.stringify({ type, object })}\n`);
    for (let index = 0; index < count; index += 1) send("ADDED", objectOf(index, 1 + index));
    const annotations = { "k8s.io/initial-events-end": "true" };
    send("BOOKMARK", { kind: "Any", metadata: { resourceVersion: String(count), annotations } });
    if (objectOf !== widgetOf) return;
    process.on("message", (from: number) => {
      for (let index = 0; index < count; index += 1) send("MODIFIED", widgetOf(index, from + index));
    });
  };
  await serveOverTls(listener, report);
}

/** The metadata of an object as an API server sends it. */
function metadataOf(name: string, version: number, more: object): object {
  const fields = { "f:metadata": { "f:labels": { ".": {}, "f:app": {} } }, "f:spec": { "f:size": {} } };
  const time = "2026-01-01T00:00:00Z";
  const written = { apiVersion: `${group}/v1`, fieldsType: "FieldsV1", operation: "Update", time };
  return {
    creationTimestamp: time,
    generation: version,
    labels: { app: "bench" },
    managedFields: [
      { ...written, fieldsV1: { ...fields, "f:data": { ".": {}, "f:a": {}, "f:b": {} } }, manager: "driver" },
      {
        ...written,
        fieldsV1: { "f:status": { "f:conditions": { 'k:{"type":"Ready"}': { ".": {}, "f:status": {} } } } },
        manager: "bench",
        subresource: "status",
      },
    ],
    name,
    namespace: "default",
    resourceVersion: String(version),
    uid: `00000000-0000-0000-0000-${name.padStart(12, "0")}`,
    ...more,
  };
}

function widgetOf(index: number, version: number): object {
  const condition = { type: "Ready", status: "True", reason: "AllApplied", message: "all are applied" };
  return {
    apiVersion: `${group}/v1`,
    kind: "Widget",
    metadata: metadataOf(`w${index}`, version, {}),
    spec: { payload: { a: "x".repeat(100), b: "y".repeat(100) }, size: version },
    status: {
      conditions: [{ ...condition, lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: version }],
    },
  };
}

function configMapOf(index: number, version: number): object {
  const owner = { apiVersion: `${group}/v1`, kind: "Widget", name: `w${index}`, controller: true };
  const uid = `00000000-0000-0000-0000-${`w${index}`.padStart(12, "0")}`;
  const ownerReferences = [{ ...owner, uid, blockOwnerDeletion: true }];
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: metadataOf(`w-w${index}`, version, { ownerReferences }),
    data: { a: "x".repeat(100), b: "y".repeat(100), size: "1" },
  };
}

async function measureWatch(): Promise<void> {
  const { child, client } = await startOther(import.meta.filename, [String(count)]);
  const common = { client, clock: systemClock, random: systemRandom, log: silentLogger };
  const cache = createSharedCache(common);
  const Widget = defineKind({
    group,
    version: "v1",
    kind: "Widget",
    spec: z.object({ size: z.int(), payload: z.record(z.string(), z.string()) }),
  });
  // Without workers: what is measured ends where a key is queued.
  const controller = createController({
    ...common,
    workers: 0,
    definition: defineController(Widget, { owns: [ConfigMap], steps: {} }),
    operator: "bench",
    cache,
    events: { record: () => undefined, flush: () => Promise.resolve(), dropped: 0 },
    namespaces: [],
  });
  void controller.run();
  let heard = 0;
  let enough = Promise.withResolvers<void>();
  cache.informer(Widget).changes$.subscribe(() => {
    heard += 1;
    if (heard % count === 0) enough.resolve();
  });
  const empty = usedMegabytes();
  let before = process.cpuUsage();
  const spent = (): string => {
    const { user, system } = process.cpuUsage(before);
    return `${((user + system) / 1_000).toFixed(0)} ms`;
  };
  cache.start(new AbortController().signal);
  await cache.whenSynced();
  print(`start with 2 x ${count} objects`, spent());
  const full = usedMegabytes();
  print("heap for them", `${(full.heap - empty.heap).toFixed(0)} MB`);
  for (let round = 0; round < 5; round += 1) {
    enough = Promise.withResolvers();
    before = process.cpuUsage();
    child.send((round + 2) * count);
    await enough.promise;
    print(`${count} changes`, spent());
  }
  child.kill();
  process.exit();
}
