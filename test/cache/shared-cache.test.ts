import { config } from "rxjs";
import { afterEach, describe, expect, it } from "vitest";
import type { Change } from "../../src/cache/informer.ts";
import { createSharedCache } from "../../src/cache/shared-cache.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import {
  apiError,
  clientOf,
  connectionReset,
  ScriptedServer,
  widgets,
  type Widget,
} from "./scripted-server.ts";

const typeNamed = (plural: string): ResourceType<Widget> => ({ ...widgets, plural });

function setUp(plurals: readonly string[] = ["widgets"]) {
  const clock = createVirtualClock();
  const servers = Object.fromEntries(plurals.map((plural) => [plural, new ScriptedServer(clock)]));
  const cache = createSharedCache({ client: clientOf(servers), clock, random: () => 0.5, log: silentLogger });
  const abort = new AbortController();
  const server = servers["widgets"] ?? new ScriptedServer(clock);
  return { clock, servers, server, cache, abort };
}

describe("shared cache", () => {
  it("gives everybody the same informer of a type and scope, and another one for another scope", () => {
    const { cache } = setUp();
    const informer = cache.informer(widgets);
    expect(cache.informer(widgets)).toBe(informer);
    expect(cache.informer(widgets, { namespace: "default" })).not.toBe(informer);
    expect(cache.informer(widgets, { labelSelector: "app=a" })).not.toBe(informer);
    expect(cache.informers).toHaveLength(3);
  });

  it("starts nothing when one only asks whether an informer exists", () => {
    const { cache } = setUp();
    expect(cache.existing(widgets)).toBeUndefined();
    const informer = cache.informer(widgets, { namespace: "default" });
    expect(cache.existing(widgets)).toBeUndefined();
    expect(cache.existing(widgets, { namespace: "default" })).toBe(informer);
    expect(cache.informers).toHaveLength(1);
  });

  it("starts an informer that is asked for after the cache was started", async () => {
    const { clock, server, cache, abort } = setUp();
    cache.start(abort.signal);
    server.put("a");
    const informer = cache.informer(widgets);
    await clock.settle();
    expect(informer.lister.size).toBe(1);
  });

  it("asks the server only for the scope", async () => {
    const { clock, server, cache, abort } = setUp();
    cache.informer(widgets, {
      namespace: "default",
      labelSelector: "app=a",
      fieldSelector: "metadata.name=x",
    });
    cache.start(abort.signal);
    await clock.settle();
    expect(server.watches()[0]).toMatchObject({
      namespace: "default",
      labelSelector: "app=a",
      fieldSelector: "metadata.name=x",
    });
  });

  it("keeps trying a kind whose first list fails, while the others go on (T03)", async () => {
    const { clock, servers, cache, abort } = setUp(["ones", "twos", "threes"]);
    for (const plural of ["ones", "twos", "threes"]) cache.informer(typeNamed(plural));
    let failures = 3;
    const broken = servers["twos"] as ScriptedServer;
    broken.onWatch = () => {
      failures -= 1;
      if (failures >= 0) throw apiError(500, "InternalError");
    };
    cache.start(abort.signal);
    let synced = false;
    void cache.whenSynced().then(() => (synced = true));
    await clock.settle();
    expect(cache.informers.map((informer) => informer.hasSynced)).toEqual([true, false, true]);
    expect(synced).toBe(false);
    await clock.advance(10_000);
    expect(cache.informers.map((informer) => informer.hasSynced)).toEqual([true, true, true]);
    expect(synced).toBe(true);
  });

  it("rejects whoever waits for the caches when the signal is aborted, and leaves nothing behind", async () => {
    const { server, cache, abort } = setUp();
    server.onWatch = () => new Promise(() => undefined);
    const informer = cache.informer(widgets);
    cache.start(abort.signal);
    const impatient = new AbortController();
    const waiting = informer.whenSynced(impatient.signal);
    impatient.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect(informer.whenSynced(impatient.signal)).rejects.toThrow("enough");
  });
});

describe("lister", () => {
  it("refuses reads before the first complete list: not known is not the same as not there (T14)", async () => {
    const { clock, server, cache, abort } = setUp();
    server.onWatch = () => {
      throw connectionReset();
    };
    const { lister } = cache.informer(widgets);
    const refused = expect.objectContaining({ code: "CACHE_NOT_SYNCED" });
    expect(() => lister.list()).toThrow(refused);
    cache.start(abort.signal);
    await clock.settle();
    expect(() => lister.get({ namespace: "default", name: "a" })).toThrow(refused);
    expect(() => lister.byIndex("any", "value")).toThrow(refused);
    expect(() => lister.list()).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining("reset") }),
    );
  });

  it("refuses reads after the informer has stopped (T14)", async () => {
    const { clock, server, cache, abort } = setUp();
    server.put("a");
    const informer = cache.informer(widgets);
    cache.start(abort.signal);
    await informer.whenSynced();
    expect(informer.lister.list()).toHaveLength(1);
    abort.abort();
    await clock.settle();
    expect(() => informer.lister.list()).toThrow(expect.objectContaining({ code: "CACHE_NOT_SYNCED" }));
    expect(informer.hasSynced).toBe(false);
  });

  it("goes on answering from the last known state while the server is away", async () => {
    const { clock, server, cache, abort } = setUp();
    server.put("a");
    const informer = cache.informer(widgets);
    cache.start(abort.signal);
    await clock.settle();
    server.onWatch = () => {
      throw connectionReset();
    };
    server.cutWatches(connectionReset());
    await clock.advance(300_000);
    expect(informer.health).toMatchObject({ state: "backingOff", synced: true });
    expect(informer.lister.list()).toHaveLength(1);
  });

  it("selects by namespace, labels and index", async () => {
    const { clock, server, cache, abort } = setUp();
    server.put("a", { size: 1, labels: { app: "x" } });
    server.put("b", { size: 2, labels: { app: "x", tier: "db" } });
    server.put("c", { size: 2 });
    const informer = cache.informer(widgets);
    informer.addIndex("size", (object) => [String(object.spec.size)]);
    cache.start(abort.signal);
    await clock.settle();
    informer.addIndex("app", (object) => Object.values(object.metadata.labels ?? {}));
    const names = (objects: readonly KubeObject[]) => objects.map((object) => object.metadata.name);
    expect(names(informer.lister.list({ matchLabels: { app: "x" } }))).toEqual(["a", "b"]);
    expect(names(informer.lister.list({ matchLabels: { app: "x", tier: "db" } }))).toEqual(["b"]);
    expect(names(informer.lister.list({ namespace: "elsewhere" }))).toEqual([]);
    expect(names(informer.lister.byIndex("size", "2"))).toEqual(["b", "c"]);
    expect(names(informer.lister.byIndex("app", "x"))).toEqual(["a", "b"]);
    server.put("c", { size: 1 });
    server.remove("b");
    await clock.settle();
    expect(names(informer.lister.byIndex("size", "1"))).toEqual(["a", "c"]);
    expect(names(informer.lister.byIndex("size", "2"))).toEqual([]);
    expect(names(informer.lister.byIndex("app", "db"))).toEqual([]);
    expect(() => informer.lister.byIndex("nope", "1")).toThrow(
      expect.objectContaining({ code: "INDEX_UNKNOWN" }),
    );
  });
});

describe("stored objects", () => {
  it("are frozen in depth and carry no managed fields", async () => {
    const { clock, server, cache, abort } = setUp();
    server.put("a");
    const informer = cache.informer(widgets);
    cache.start(abort.signal);
    await clock.settle();
    const object = informer.lister.get({ namespace: "default", name: "a" });
    expect(object?.metadata.managedFields).toBeUndefined();
    expect(object?.metadata.uid).toBe("uid-1");
    expect(() => Object.assign(object?.spec as object, { size: 5 })).toThrow(TypeError);
  });

  it("are what the transform makes of them; one that it cannot take is kept whole", async () => {
    const { clock, server, cache, abort } = setUp();
    server.put("a");
    server.put("poison");
    const informer = cache.informer(widgets, {
      transform: (object) => {
        if (object.metadata.name === "poison") throw new Error("cannot");
        return { ...object, spec: { size: 0 } };
      },
    });
    cache.start(abort.signal);
    await clock.settle();
    expect(informer.lister.list().map((object) => object.spec.size)).toEqual([0, 1]);
  });
});

describe("changes", () => {
  afterEach(() => {
    config.onUnhandledError = null;
  });

  it("reach the other subscribers, and the reader goes on, when one subscriber throws", async () => {
    const { clock, server, cache, abort } = setUp();
    const reported: unknown[] = [];
    config.onUnhandledError = (error) => reported.push(error);
    const informer = cache.informer(widgets);
    informer.changes$.subscribe(() => {
      throw new Error("bad subscriber");
    });
    const seen: Change<Widget>[] = [];
    informer.changes$.subscribe((change) => seen.push(change));
    server.put("a");
    cache.start(abort.signal);
    await clock.settle();
    server.put("b");
    await expect.poll(() => reported.length).toBe(2);
    expect(seen).toHaveLength(2);
    expect(informer.health.state).toBe("watching");
    expect(server.watches()).toHaveLength(1);
  });

  it("are told after the whole list is readable, so that a subscriber never reads half of it", async () => {
    const { clock, server, cache, abort } = setUp();
    for (let number = 0; number < 20; number += 1) server.put(`w${number}`);
    const informer = cache.informer(widgets);
    const sizes: number[] = [];
    informer.changes$.subscribe(() => sizes.push(informer.lister.list().length));
    cache.start(abort.signal);
    await clock.settle();
    expect(sizes).toEqual(Array<number>(20).fill(20));
  });

  it("come only after subscription, and not to those who have left", async () => {
    const { clock, server, cache, abort } = setUp();
    server.put("a");
    const informer = cache.informer(widgets);
    const early: string[] = [];
    const subscription = informer.changes$.subscribe((change) => early.push(change.object.metadata.name));
    cache.start(abort.signal);
    await clock.settle();
    subscription.unsubscribe();
    const late: string[] = [];
    informer.changes$.subscribe((change) => late.push(change.object.metadata.name));
    server.put("b");
    await clock.settle();
    expect(early).toEqual(["a"]);
    expect(late).toEqual(["b"]);
  });
});

describe("own writes", () => {
  async function watching() {
    const { clock, server, cache, abort } = setUp();
    const informer = cache.informer(widgets);
    const changes: Change<Widget>[] = [];
    cache.start(abort.signal);
    await clock.settle();
    informer.changes$.subscribe((change) => changes.push(change));
    const phase = (): string | undefined =>
      informer.lister.get({ namespace: "default", name: "a" })?.status?.phase;
    return { clock, server, cache, informer, changes, phase };
  }

  it("are in the list at once although the watch is late, so that nothing is created twice (T19)", async () => {
    const { clock, server, informer, changes } = await watching();
    server.held = true;
    const ensureOne = (): void => {
      if (informer.lister.list().length === 0) informer.recordWrite(server.put(`child-${server.revision}`));
    };
    ensureOne();
    await clock.advance(1_000);
    ensureOne();
    server.release();
    await clock.settle();
    ensureOne();
    expect(server.objects).toHaveLength(1);
    expect(informer.lister.list()).toHaveLength(1);
    expect(changes).toHaveLength(1);
  });

  it("are what the next run sees, never an earlier one of them (T20)", async () => {
    const { clock, server, informer, phase } = await watching();
    server.put("a");
    await clock.settle();
    server.held = true;
    informer.recordWrite(server.put("a", { phase: "Busy" }));
    informer.recordWrite(server.put("a", { phase: "Ready" }));
    expect(phase()).toBe("Ready");
    const seen: (string | undefined)[] = [];
    informer.changes$.subscribe(() => seen.push(phase()));
    server.release();
    await clock.settle();
    expect(seen).toEqual(["Ready", "Ready"]);
    expect(phase()).toBe("Ready");
  });

  it("do not swallow a delete request that their own answer already carries (T21)", async () => {
    const { clock, server, informer, changes } = await watching();
    server.put("a");
    await clock.settle();
    changes.length = 0;
    server.held = true;
    server.put("a", { deleting: true });
    const answer = server.put("a", { phase: "Ready" });
    expect(answer.metadata.deletionTimestamp).toBeDefined();
    informer.recordWrite(answer);
    expect(informer.lister.list()[0]?.metadata.deletionTimestamp).toBeDefined();
    server.release();
    await clock.settle();
    const deleting = (object: Widget): boolean => object.metadata.deletionTimestamp !== undefined;
    expect(
      changes.map((change) => change.type === "modified" && [deleting(change.old), deleting(change.object)]),
    ).toEqual([
      [false, true],
      [true, true],
    ]);
  });

  it("do not swallow a delete request either when all is listed again (T21)", async () => {
    const { clock, server, informer, changes } = await watching();
    server.put("a");
    await clock.settle();
    changes.length = 0;
    server.held = true;
    server.put("a", { deleting: true });
    informer.recordWrite(server.put("a", { phase: "Ready" }));
    server.compact();
    server.held = false;
    server.cutWatches();
    await clock.advance(5_000);
    expect(changes).toMatchObject([{ type: "modified", object: { status: { phase: "Ready" } } }]);
    expect(changes[0]?.type === "modified" && changes[0].old.metadata.deletionTimestamp).toBeUndefined();
    expect(changes[0]?.object.metadata.deletionTimestamp).toBeDefined();
  });

  it("do not swallow a foreign edit that a no-op write answered with (T22)", async () => {
    const { clock, server, informer, changes } = await watching();
    server.put("a", { size: 1, phase: "Ready" });
    await clock.settle();
    changes.length = 0;
    server.held = true;
    server.put("a", { size: 7 });
    const answer = server.put("a", { phase: "Ready" });
    expect(answer.spec.size).toBe(7);
    informer.recordWrite(answer);
    server.release();
    await clock.settle();
    expect(changes).toMatchObject([
      { type: "modified", old: { spec: { size: 1 } }, object: { spec: { size: 7 } } },
    ]);
  });

  it("leave no ghost when the object is deleted before its watch event (T23)", async () => {
    const { clock, server, informer } = await watching();
    server.held = true;
    informer.recordWrite(server.put("a"));
    server.remove("a");
    expect(informer.lister.list()).toHaveLength(1);
    server.release();
    await clock.settle();
    expect(informer.lister.list()).toEqual([]);
  });

  it("leave no ghost when the answer comes after the watch has shown create and delete (T23)", async () => {
    const { clock, server, informer } = await watching();
    const answer = server.put("a");
    server.remove("a");
    await clock.settle();
    informer.recordWrite(answer);
    expect(informer.lister.list()).toEqual([]);
  });

  it("leave no ghost when create and delete fall into a gap and all is listed again (T23)", async () => {
    const { clock, server, informer, changes } = await watching();
    server.held = true;
    informer.recordWrite(server.put("a"));
    server.remove("a");
    server.compact();
    server.held = false;
    server.cutWatches();
    await clock.advance(5_000);
    expect(informer.lister.list()).toEqual([]);
    // Whoever has read it must be told that it is gone, although the server has told neither its creation nor its end.
    expect(changes).toMatchObject([
      { type: "added", object: { metadata: { name: "a" } } },
      { type: "deleted", object: { metadata: { name: "a" } }, synthetic: true },
    ]);
  });

  it("tell the end of what a gap has swallowed although the answer comes after the relist (T23)", async () => {
    const { clock, server, informer, changes } = await watching();
    server.held = true;
    const answer = server.put("a");
    server.remove("a");
    server.compact();
    server.held = false;
    server.cutWatches();
    await clock.advance(5_000);
    expect(changes).toEqual([]);
    informer.recordWrite(answer);
    expect(informer.lister.list()).toEqual([]);
    expect(changes.map((change) => change.type)).toEqual(["added", "deleted"]);
  });

  it("of deletes hide the object at once, and let a new one of that name through", async () => {
    const { clock, server, informer, changes } = await watching();
    const first = server.put("a", { size: 1 });
    await clock.settle();
    server.held = true;
    server.put("a", { size: 2 });
    server.remove("a");
    informer.recordDelete(first);
    expect(informer.lister.list()).toEqual([]);
    server.put("a", { size: 3 });
    server.release();
    await clock.settle();
    expect(informer.lister.list()).toMatchObject([{ spec: { size: 3 } }]);
    expect(changes.map((change) => change.type)).toEqual(["added", "modified", "deleted", "added"]);
  });

  it("do not bring back what was deleted since, when their answers come late", async () => {
    const { clock, server, informer } = await watching();
    server.held = true;
    const created = server.put("a");
    informer.recordDelete(created);
    server.remove("a");
    informer.recordWrite(created);
    expect(informer.lister.list()).toEqual([]);
    server.release();
    await clock.settle();
    expect(informer.lister.list()).toEqual([]);
  });

  it("outside the informer's scope are ignored", async () => {
    const { clock, server, cache, abort } = setUp();
    const informer = cache.informer(widgets, {
      labelSelector: "app in (x, y),!hidden",
      namespace: "default",
    });
    cache.start(abort.signal);
    await clock.settle();
    server.held = true;
    informer.recordWrite(server.put("in", { labels: { app: "y" } }));
    informer.recordWrite(server.put("out", { labels: { app: "z" } }));
    informer.recordWrite(server.put("hidden", { labels: { app: "x", hidden: "" } }));
    const elsewhere = server.put("elsewhere", { labels: { app: "x" } });
    informer.recordWrite({ ...elsewhere, metadata: { ...elsewhere.metadata, namespace: "other" } });
    expect(informer.lister.list().map((object) => object.metadata.name)).toEqual(["in"]);
  });
});
