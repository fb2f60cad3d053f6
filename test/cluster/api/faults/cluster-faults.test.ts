// The knobs as a test turns them, over real connections.
import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { KubeClient, WatchEvent } from "../../../../src/client/kube-client.ts";
import type { Cluster } from "../../../../src/cluster/cluster.ts";
import { startCluster } from "../../../../src/cluster/start-cluster.ts";
import { ConfigMap } from "../../../../src/kinds/index.ts";
import type { KubeObject, Manifest } from "../../../../src/meta/object.ts";
import { isOperatorError } from "../../../../src/ports/operator-error.ts";
import { clientOf } from "../../../support/api-servers.ts";
import { eventually } from "../../../support/eventually.ts";

const plural = "configmaps";
let names = 0;
const configMap = (
  data: Record<string, string> = {},
): Manifest & { readonly data: Record<string, string> } => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: `m${(names += 1)}`, namespace: "default" },
  data,
});

let cluster: Cluster;
let client: KubeClient;
beforeAll(async () => {
  cluster = await startCluster({ controllers: false });
  client = await clientOf(cluster.kubeconfig);
});
afterEach(() => cluster.faults.clear());
afterAll(async () => {
  await client.close();
  await cluster.stop();
});

const codeOf = (error: unknown): string => (isOperatorError(error) ? error.code : String(error));
const outcomeOf = (request: Promise<unknown>): Promise<string> => request.then(() => "done", codeOf);

/** Gathers what a watch tells until it ends; its last entry is the error that ended it, or "end". */
function watching(resourceVersion: string): { readonly seen: string[]; stop(): void } {
  const seen: string[] = [];
  const abort = new AbortController();
  const events = client.watch(ConfigMap, {
    namespace: "default",
    resourceVersion,
    allowWatchBookmarks: true,
    signal: abort.signal,
  });
  void (async () => {
    try {
      for await (const event of events) seen.push(describeEvent(event));
      seen.push("end");
    } catch (error) {
      seen.push(codeOf(error));
    }
  })();
  return { seen, stop: () => abort.abort() };
}

const describeEvent = (event: WatchEvent<KubeObject>): string =>
  event.type === "BOOKMARK" ? event.type : `${event.type} ${event.object.metadata.name}`;

describe("requests to a faulty cluster", () => {
  it("are refused with status, reason and Retry-After, as often as told", async () => {
    const fault = cluster.faults.refuse(
      { verb: "get", plural },
      { status: 429, retryAfter: 7 },
      { times: 1 },
    );
    const { metadata } = await client.create(ConfigMap, configMap());
    const error: unknown = await client.get(ConfigMap, metadata).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ status: 429, reason: "TooManyRequests", retryAfter: 7_000 });
    expect(await outcomeOf(client.get(ConfigMap, metadata))).toBe("done");
    expect(fault.strikes).toBe(1);
  });

  it("meet a storm of conflicts on writes, while reads go on", async () => {
    const { metadata } = await client.create(ConfigMap, configMap());
    cluster.faults.refuse({ verb: ["patch", "update"] }, { status: 409 }, { times: 3 });
    const patch = (): Promise<unknown> =>
      client.patch(ConfigMap, metadata, { type: "merge", body: { data: { a: "1" } } });
    const outcomes = [];
    for (let attempt = 0; attempt < 4; attempt += 1) outcomes.push(await outcomeOf(patch()));
    expect(outcomes).toEqual(["API_CONFLICT", "API_CONFLICT", "API_CONFLICT", "done"]);
  });

  it("are reset before they are done, or done without an answer", async () => {
    const before = configMap();
    const after = configMap();
    cluster.faults.reset({ verb: "create" }, { times: 1 });
    expect(await outcomeOf(client.create(ConfigMap, before))).toBe("CONNECTION_FAILED");
    cluster.faults.loseAnswers({ verb: "create" }, { times: 1 });
    expect(await outcomeOf(client.create(ConfigMap, after))).toBe("CONNECTION_FAILED");
    expect(await outcomeOf(client.get(ConfigMap, before.metadata))).toBe("API_NOT_FOUND");
    expect(await outcomeOf(client.get(ConfigMap, after.metadata))).toBe("done");
  });

  it("are held until the fault ends", async () => {
    const fault = cluster.faults.delay({ verb: "list", plural }, Infinity);
    let listed = false;
    const list = client.list(ConfigMap, { namespace: "default" }).then(() => (listed = true));
    await eventually(() => expect(fault.strikes).toBe(1));
    await client.create(ConfigMap, configMap());
    expect(listed).toBe(false);
    fault.end();
    await list;
  });

  it("read the past while reads are stale, and write the present", async () => {
    const old = await client.create(ConfigMap, configMap({ a: "1" }));
    const fault = cluster.faults.staleReads({ plural });
    const body = { data: { a: "2" } };
    await client.patch(ConfigMap, old.metadata, { type: "merge", body });
    const fresh = await client.create(ConfigMap, configMap());
    expect(await client.get(ConfigMap, old.metadata)).toEqual(old);
    expect(await outcomeOf(client.get(ConfigMap, fresh.metadata))).toBe("API_NOT_FOUND");
    const { items } = await client.list(ConfigMap, { namespace: "default" });
    expect(items.map(({ metadata }) => metadata.name)).not.toContain(fresh.metadata.name);
    fault.end();
    expect(await client.get(ConfigMap, old.metadata)).toMatchObject(body);
  });

  it("keep the server from stopping by no connection that has just begun", async () => {
    const { port, hostname: host } = new URL(cluster.url);
    const address = { port: Number(port), host, rejectUnauthorized: false };
    const silent = connectTcp(address);
    await once(silent, "connect");
    // The handshake of this one ends while the server stops.
    const talking = connectTls(address);
    talking.write("GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const ended = [silent, talking].map((socket) => {
      socket.on("error", () => undefined);
      return new Promise((resolve) => socket.once("close", resolve));
    });
    await cluster.faults.stopServer();
    await Promise.all(ended);
    await cluster.faults.startServer();
  });

  it("find nobody while the server is stopped, and everything as it was when it is started again", async () => {
    const { metadata } = await client.create(ConfigMap, configMap());
    await cluster.faults.stopServer();
    await cluster.faults.stopServer();
    expect(await outcomeOf(client.get(ConfigMap, metadata))).toBe("CONNECTION_FAILED");
    await cluster.faults.startServer();
    await cluster.faults.startServer();
    expect((await client.get(ConfigMap, metadata)).metadata.uid).toBe(metadata.uid);
  });
});

describe("watches of a faulty cluster", () => {
  const now = async (): Promise<string> =>
    (await client.list(ConfigMap, { namespace: "default" })).metadata.resourceVersion;

  it("resume into 410 after the history was compacted", async () => {
    const version = await now();
    await client.create(ConfigMap, configMap());
    cluster.faults.compactHistory();
    const { seen } = watching(version);
    await eventually(() => expect(seen).toEqual(["API_GONE"]));
  });

  it.each([
    ["reset", "CONNECTION_FAILED"],
    ["end", "end"],
  ] as const)("are dropped: %s", async (how, outcome) => {
    const { seen } = watching(await now());
    await eventually(() => expect(cluster.faults.dropWatches({ plural }, how)).toBe(1));
    await eventually(() => expect(seen).toEqual([outcome]));
  });

  it("are half-open: an event is lost on the old one and seen on a new one", async () => {
    const version = await now();
    const old = watching(version);
    const { metadata } = await client.create(ConfigMap, configMap());
    await eventually(() => expect(old.seen).toHaveLength(1));
    cluster.faults.silenceWatches({ plural }).end();
    await client.delete(ConfigMap, metadata);
    const fresh = watching(version);
    await eventually(() =>
      expect(fresh.seen).toEqual([`ADDED ${metadata.name}`, `DELETED ${metadata.name}`]),
    );
    expect(old.seen).toEqual([`ADDED ${metadata.name}`]);
    old.stop();
    fresh.stop();
  });

  it.each([
    ["malformed", "WATCH_MALFORMED"],
    ["truncated", "WATCH_TRUNCATED"],
  ] as const)("have a spoilt line: %s", async (how, outcome) => {
    const { seen } = watching(await now());
    cluster.faults.spoilLines({ plural }, how, { times: 1 });
    await client.create(ConfigMap, configMap());
    await eventually(() => expect(seen).toEqual([outcome]));
  });

  it("arrive in pieces when they are slow, and whole in the end", async () => {
    cluster.faults.slowWatches({ plural }, 2_000);
    const { seen, stop } = watching(await now());
    const { metadata } = await client.create(ConfigMap, configMap({ text: "ü".repeat(200) }));
    await eventually(() => expect(seen).toEqual([`ADDED ${metadata.name}`]));
    stop();
  });
});
