// Watch and cache against a cluster that misbehaves, over real connections: the same cases as on the scripted server of
// test/cache, with the client, TLS and the server's own behaviour in between.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ConfigMap, Secret, Service } from "../../src/kinds/index.ts";
import { eventually } from "../support/eventually.ts";
import { namespace, watcher, WatchedCluster } from "./support/watched-cluster.ts";

let subject: WatchedCluster;
beforeAll(async () => {
  subject = await WatchedCluster.start();
});
afterEach(() => subject.reset());
afterAll(() => subject.stop());

const plural = "configmaps";
const mine = { plural, userAgent: watcher } as const;

/** A cache of ConfigMaps that is complete. */
async function synced() {
  const watched = await subject.watch();
  const informer = watched.informer(ConfigMap);
  watched.start();
  await watched.cache.whenSynced();
  const names = (): string[] =>
    informer.lister
      .list()
      .map(({ metadata }) => metadata.name)
      .sort();
  return { ...watched, configMaps: informer, names };
}

describe("the start of a cache", () => {
  it("is tried for ever while connections are reset, one line for each, and succeeds (T02)", async () => {
    const resets = subject.cluster.faults.reset({ ...mine, verb: "watch" }, { times: 5 });
    const { configMaps, warnings } = await synced();
    expect(resets.strikes).toBe(5);
    expect(warnings).toEqual(Array.from({ length: 5 }, () => "list-watch step failed"));
    expect(configMaps.health.state).toBe("watching");
  });

  it("of one kind that is refused keeps only that kind waiting, which then completes (T03)", async () => {
    const { faults } = subject.cluster;
    const refusal = faults.refuse({ ...mine, verb: ["list", "watch"] }, { status: 503 });
    const watched = await subject.watch();
    const [configMaps, secrets, services] = [
      watched.informer(ConfigMap),
      watched.informer(Secret),
      watched.informer(Service),
    ];
    watched.start();
    await Promise.all([secrets.whenSynced(), services.whenSynced()]);
    await eventually(() => expect(refusal.strikes).toBeGreaterThan(2));
    expect(configMaps.hasSynced).toBe(false);
    expect(() => configMaps.lister.list()).toThrow(expect.objectContaining({ code: "CACHE_NOT_SYNCED" }));
    refusal.end();
    await watched.cache.whenSynced();
    expect(configMaps.lister.list()).toEqual([]);
  });

  it("of one kind that cannot be read at all leaves the others alone (T43)", async () => {
    const { faults } = subject.cluster;
    const unreadable = faults.spoilLines(mine, "malformed");
    faults.refuse({ ...mine, verb: "list" }, { status: 500 });
    const watched = await subject.watch();
    const [broken, secrets] = [watched.informer(ConfigMap), watched.informer(Secret)];
    await subject.create("a");
    watched.start();
    await secrets.whenSynced();
    await eventually(() => expect(unreadable.strikes).toBeGreaterThan(2));
    await subject.person.create(Secret, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "read", namespace },
    });
    await eventually(() => expect(secrets.lister.size).toBe(1));
    expect(broken.hasSynced).toBe(false);
    expect(broken.health.lastError).toContain("is not JSON");
    await subject.person.delete(Secret, { name: "read", namespace });
    faults.clear();
    await eventually(() => expect(broken.lister.size).toBe(1));
  });

  it("waits as long as the server asks when it is told to slow down", async () => {
    const refusal = { status: 429, retryAfter: 10 };
    subject.cluster.faults.refuse({ ...mine, verb: "watch" }, refusal, { times: 1 });
    const started = performance.now();
    await synced();
    // Ten seconds on a clock that is twenty times as fast.
    expect(performance.now() - started).toBeGreaterThan(490);
  });

  it.each(["initialEventsEnd", "all"] as const)(
    "does not wait for ever for the end of a streaming list, and lists in pages (T08: %s)",
    async (which) => {
      await subject.create("a");
      subject.cluster.faults.withholdBookmarks(mine, which);
      const lists = subject.count({ verb: "list", plural });
      const { configMaps, names } = await synced();
      expect(names()).toEqual(["a"]);
      expect(configMaps.health.fallbacks).toBe(1);
      expect(lists.strikes).toBe(1);
      await subject.create("b");
      await eventually(() => expect(names()).toEqual(["a", "b"]));
    },
  );
});

describe("a watch that ends", () => {
  it("resumes without the initial events, and tells nothing twice (T09, T10)", async () => {
    await subject.create("a");
    const { configMaps, told, names } = await synced();
    const lists = subject.count({ verb: "list", plural });
    for (const name of ["b", "c", "d"]) {
      await subject.create(name);
      await eventually(() => expect(names()).toContain(name));
      const { reconnects } = configMaps.health;
      subject.cluster.faults.dropWatches(mine, name === "c" ? "reset" : "end");
      await eventually(() => expect(configMaps.health.reconnects).toBeGreaterThan(reconnects));
    }
    await subject.edit("a", { seen: "yes" });
    await eventually(() => expect(told).toContain("modified a"));
    expect(told).toEqual(["added a", "added b", "added c", "added d", "modified a"]);
    expect(configMaps.health.relists).toBe(0);
    // Each time it asks, by one object, how far the server is; the last time perhaps after the edit has come.
    await eventually(() => expect(lists.strikes).toBe(3));
  });

  it.each(["malformed", "truncated"] as const)(
    "with a line that is %s goes on from the last good one, and loses nothing",
    async (how) => {
      const { configMaps, told } = await synced();
      await subject.create("a");
      await eventually(() => expect(told).toEqual(["added a"]));
      const spoilt = subject.cluster.faults.spoilLines(mine, how, { times: 1 });
      await subject.create("b");
      await subject.create("c");
      await eventually(() => expect(told).toEqual(["added a", "added b", "added c"]));
      expect(spoilt.strikes).toBe(1);
      expect(configMaps.health.relists).toBe(0);
    },
  );

  it("into a history that is forgotten lists again, and tells what changed, in one go (T05, T07)", async () => {
    await Promise.all(Array.from({ length: 60 }, (_, index) => subject.create(`m${index}`)));
    const { configMaps, told, names } = await synced();
    expect(names()).toHaveLength(60);
    const away = subject.cluster.faults.delay({ ...mine, verb: "watch" }, Infinity);
    subject.cluster.faults.dropWatches(mine);
    told.length = 0;
    for (let index = 0; index < 50; index += 1) await subject.delete(`m${index}`);
    await subject.edit("m55", { changed: "yes" });
    subject.cluster.faults.compactHistory();
    away.end();
    await eventually(() => expect(names()).toHaveLength(10));
    expect(told.filter((each) => each.startsWith("deleted"))).toHaveLength(50);
    expect(told.filter((each) => !each.startsWith("deleted"))).toEqual(["modified m55"]);
    expect(configMaps.health.relists).toBe(1);
    await subject.edit("m59", { changed: "later" });
    await eventually(() => expect(told.at(-1)).toBe("modified m59"));
  });

  it("and a list whose pages expire: it begins anew and completes (T05)", async () => {
    // A hundred at once: each begins a connection of its own.
    for (let from = 0; from < 1_100; from += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, index) => subject.create(`p${from + index}`)));
    }
    const { faults } = subject.cluster;
    // No streaming lists, so that there are pages; the second one is held until it has expired.
    faults.refuse({ ...mine, verb: "watch" }, { status: 422 }, { times: 1 });
    const first = faults.delay({ ...mine, verb: "list" }, 0, { times: 1 });
    const second = faults.delay({ ...mine, verb: "list" }, Infinity, { times: 1 });
    const rest = subject.count({ verb: "list", plural });
    const watched = await subject.watch();
    const informer = watched.informer(ConfigMap);
    watched.start();
    await eventually(() => expect([first.strikes, second.strikes]).toEqual([1, 1]));
    await subject.delete("p3");
    faults.compactHistory();
    second.end();
    await eventually(() => expect(informer.hasSynced).toBe(true));
    expect(informer.lister.size).toBe(1_099);
    expect(rest.strikes).toBe(3);
    await subject.create("later");
    await eventually(() => expect(informer.lister.size).toBe(1_100));
  });
});

describe("a server that goes away", () => {
  it("and comes back finds one watch for each kind, however often it is started (T06)", async () => {
    const { cache, configMaps, start } = await synced();
    cache.informer(Secret, { namespace });
    await cache.whenSynced();
    const { reconnects } = configMaps.health;
    await subject.cluster.faults.stopServer();
    start();
    start();
    await eventually(() => expect(configMaps.health.state).toBe("backingOff"));
    await subject.cluster.faults.startServer();
    const watches = subject.count({ verb: "watch" });
    await eventually(() => {
      expect(configMaps.health).toMatchObject({ state: "watching" });
      expect(configMaps.health.reconnects).toBeGreaterThan(reconnects);
    });
    await subject.create("a");
    await eventually(() => expect(configMaps.lister.size).toBe(1));
    await eventually(() => expect(watches.strikes).toBe(2));
    expect(subject.cluster.faults.dropWatches({ userAgent: watcher }, "end")).toBe(2);
  });

  it("is answered for from the last known state meanwhile", async () => {
    await subject.create("a");
    const { configMaps, names } = await synced();
    await subject.cluster.faults.stopServer();
    await eventually(() => expect(configMaps.health.state).toBe("backingOff"));
    expect(names()).toEqual(["a"]);
    expect(configMaps.health.lostSince).toBeDefined();
  });
});

describe("a watch that lags", () => {
  it("and repeats each line tells each change once", async () => {
    const { told } = await synced();
    subject.cluster.faults.repeatLines(mine);
    await subject.create("a");
    await subject.edit("a", { b: "1" });
    await subject.delete("a");
    await eventually(() => expect(told).toContain("deleted a"));
    expect(told).toEqual(["added a", "modified a", "deleted a"]);
  });

  it("is slow, with lines in pieces, and still whole", async () => {
    const { configMaps, told } = await synced();
    subject.cluster.faults.slowWatches(mine, 3_000);
    const text = "ä".repeat(800);
    await subject.create("a", { text });
    await eventually(() => expect(told).toEqual(["added a"]));
    expect(configMaps.lister.get({ namespace, name: "a" })?.data?.["text"]).toBe(text);
  });

  /** Has a cache that has seen `seen` list again at a server that has not. */
  async function relistInThePast() {
    const cached = await synced();
    const { faults } = subject.cluster;
    await subject.create("old");
    await eventually(() => expect(cached.names()).toEqual(["old"]));
    const stale = faults.staleReads({ ...mine, verb: "list" });
    await subject.create("seen");
    await eventually(() => expect(cached.names()).toEqual(["old", "seen"]));
    cached.configMaps.recordWrite(await subject.create("written"));
    faults.withholdBookmarks(mine, "initialEventsEnd");
    faults.refuse({ ...mine, verb: "watch" }, { status: 410 }, { times: 1 });
    faults.dropWatches(mine);
    return { ...cached, stale };
  }

  it("is not made up for by a list from the past: readers never go back in time", async () => {
    const { stale, configMaps, names, told } = await relistInThePast();
    await eventually(() =>
      expect(configMaps.health.lastError).toContain("is older than the last known version"),
    );
    expect(names()).toEqual(["old", "seen", "written"]);
    stale.end();
    await eventually(() => expect(told).toEqual(["added old", "added seen", "added written"]));
    expect(names()).toEqual(["old", "seen", "written"]);
  });

  it("believes a list from the past that stays so, as after a restore from a backup", async () => {
    const { configMaps, names } = await relistInThePast();
    await eventually(() => expect(configMaps.health.relists).toBe(1));
    // What happened since the backup comes by the watch, as here nothing was lost.
    await eventually(() => expect(names()).toEqual(["old", "seen", "written"]));
  });
});
