// What the API server holds and takes grows with the objects that there are, and with nothing else.
import { expect, it } from "vitest";
import { createKubeClient } from "../../../../src/client/http-client.ts";
import { loadConnection } from "../../../../src/client/kube-config.ts";
import { keptTextOf } from "../../../../src/cluster/api/http/object-text.ts";
import { startCluster } from "../../../../src/cluster/start-cluster.ts";
import { ConfigMap } from "../../../../src/kinds/builtin/core.ts";
import { liveHeap } from "../../../support/live-heap.ts";
import { createTestApi, type TestApi } from "../support/test-api.ts";

const historyLimit = 200;

function fill(api: TestApi, from: number, to: number): void {
  for (let index = from; index < to; index += 1) {
    api.create("configmaps", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `c-${index}`, labels: { app: `${index % 10}` } },
      data: { text: `${index}`.padEnd(400, "x") },
    });
  }
}

function write(api: TestApi, objects: number, round: number): void {
  for (let index = 0; index < objects; index += 1) {
    api.patch("configmaps", `c-${index}`, "merge", { data: { round: `${round}` } });
  }
}

/** CPU milliseconds of some work. */
function cpuOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

it("memory grows with the number of objects, and not with how often they are written", () => {
  const api = createTestApi({ historyLimit });
  fill(api, 0, 500);
  write(api, 500, 0);
  const empty = liveHeap();
  fill(api, 500, 1_500);
  const first = liveHeap() - empty;
  fill(api, 1_500, 2_500);
  const second = liveHeap() - empty - first;
  // 0.8 kB of JSON each.
  expect(first / 1_000).toBeLessThan(5_000);
  expect(second / first).toBeLessThan(1.3);
  write(api, 2_500, 1);
  const written = liveHeap();
  write(api, 2_500, 2);
  write(api, 2_500, 3);
  expect((liveHeap() - written) / (first + second)).toBeLessThan(0.1);
});

it("memory does not grow with how often a large object is written, read and sent", () => {
  const api = createTestApi();
  const write = (from: number, to: number): number => {
    for (let index = from; index < to; index += 1) {
      const data = { text: Buffer.alloc(1_000_000, `${index} `).toString("latin1") };
      const metadata = { name: "large" };
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
      const stored = index === 0 ? api.create("configmaps", body) : api.update("configmaps", "large", body);
      keptTextOf(stored);
    }
    return liveHeap();
  };
  const warm = write(0, 100);
  expect((write(100, 250) - warm) / 1e6).toBeLessThan(20);
});

it("a write costs the same, however many objects there are", () => {
  const small = createTestApi({ historyLimit });
  const large = createTestApi({ historyLimit });
  fill(small, 0, 300);
  fill(large, 0, 3_000);
  write(small, 300, 0);
  // A list in between has to put them in order again.
  const round = (api: TestApi) => (): void => {
    for (let each = 0; each < 4; each += 1) {
      write(api, 300, Math.random());
      api.list("configmaps", "limit=1");
    }
  };
  const few = Math.min(cpuOf(round(small)), cpuOf(round(small)));
  const many = Math.min(cpuOf(round(large)), cpuOf(round(large)));
  expect(many / few).toBeLessThan(2);
});

it("what is sent to watches is not kept", async () => {
  const cluster = await startCluster({ controllers: false });
  const client = createKubeClient(await loadConnection({ path: cluster.kubeconfig, env: {} }));
  const leave = new AbortController();
  let seen = 0;
  const watching = client
    .follow(ConfigMap, { signal: leave.signal, omitManagedFields: true }, () => {
      seen += 1;
      return undefined;
    })
    .catch(() => undefined);
  const create = (index: number) =>
    client.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `c-${index}`, namespace: "default" },
      data: { text: `${index}`.padEnd(20_000, "x") },
    });
  const many = async (from: number, to: number): Promise<number> => {
    for (let index = from; index < to; index += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, next) => create(index + next)));
    }
    return liveHeap();
  };
  const warm = await many(0, 520);
  const after = await many(520, 720);
  expect(seen).toBeGreaterThan(0);
  // The objects themselves take 20 kB each.
  expect((after - warm) / 200).toBeLessThan(30_000);
  leave.abort();
  await watching;
  await client.close();
  await cluster.stop();
});
