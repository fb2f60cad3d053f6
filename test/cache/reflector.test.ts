import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { Change, Informer } from "../../src/cache/informer.ts";
import { createSharedCache } from "../../src/cache/shared-cache.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { checkReadiness } from "../../src/manager/readiness.ts";
import { silentLogger, type Logger, type LogFields } from "../../src/ports/logger.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { withDate } from "../support/set-clock.ts";
import {
  apiError,
  clientOf,
  connectionReset,
  ScriptedServer,
  widgets,
  type Widget,
} from "./scripted-server.ts";

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

function recordingLogger(lines: Line[]): Logger {
  const at = (level: string) => (fields: LogFields, message: string) =>
    void lines.push({ level, message, fields });
  const logger: Logger = {
    child: () => logger,
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
  };
  return logger;
}

function setUp() {
  const clock = createVirtualClock();
  const dated = withDate(clock);
  const server = new ScriptedServer(clock);
  const lines: Line[] = [];
  const cache = createSharedCache({
    client: clientOf({ widgets: server }),
    clock: dated,
    random: () => 0.5,
    log: recordingLogger(lines),
  });
  const informer: Informer<Widget> = cache.informer(widgets);
  const changes: Change<Widget>[] = [];
  informer.changes$.subscribe((change) => changes.push(change));
  const abort = new AbortController();
  const start = async (): Promise<void> => {
    cache.start(abort.signal);
    await clock.settle();
  };
  return { clock, dated, server, cache, informer, changes, lines, abort, start };
}

/** `type name size` of each change. */
const brief = (changes: readonly Change<Widget>[]): string[] =>
  changes.map((change) => `${change.type} ${change.object.metadata.name} ${change.object.spec.size}`);

describe("list-watch", () => {
  it("lists and watches in one streaming request", async () => {
    const { server, informer, changes, start } = setUp();
    server.put("a", { size: 1 });
    server.put("b", { size: 2 });
    await start();
    expect(informer.hasSynced).toBe(true);
    expect(changes).toMatchObject([
      { type: "added", initial: true, object: { metadata: { name: "a" } } },
      { type: "added", initial: true, object: { metadata: { name: "b" } } },
    ]);
    server.put("a", { size: 3 });
    await informer.whenSynced();
    expect(server.lists()).toEqual([]);
    expect(server.watches()).toHaveLength(1);
    expect(server.watches()[0]).toMatchObject({ sendInitialEvents: true, allowWatchBookmarks: true });
  });

  it("tells changes in order, with the state before", async () => {
    const { clock, server, changes, start } = setUp();
    server.put("a", { size: 1 });
    await start();
    server.put("a", { size: 2 });
    server.put("a", { size: 3 });
    server.remove("a");
    server.put("b", { size: 9 });
    await clock.settle();
    expect(brief(changes)).toEqual(["added a 1", "modified a 2", "modified a 3", "deleted a 3", "added b 9"]);
    expect(changes[2]).toMatchObject({ old: { spec: { size: 2 } } });
    expect(changes[3]).toMatchObject({ synthetic: false });
    expect(changes[4]).toMatchObject({ initial: false });
  });

  it("falls back to pages at a server that refuses streaming lists, and watches from the list's version", async () => {
    const { server, informer, start } = setUp();
    server.streaming = "refused";
    for (let number = 0; number < 1_200; number += 1) server.put(`w${number}`);
    await start();
    expect(informer.lister.size).toBe(1_200);
    expect(server.lists().map((list) => list.limit)).toEqual([500, 500, 500]);
    expect(server.watches()).toHaveLength(2);
    expect(server.watches()[1]).toMatchObject({ resourceVersion: server.revision });
    expect(server.watches()[1]?.sendInitialEvents).toBeUndefined();
  });

  it("does not wait for ever for the end of a streaming list, falls back to list and watch, and counts it (T08)", async () => {
    const { clock, server, informer, lines, start } = setUp();
    server.streaming = "endless";
    server.put("a");
    await start();
    expect(informer.hasSynced).toBe(false);
    await clock.advance(20_000);
    expect(informer.hasSynced).toBe(true);
    expect(informer.health.fallbacks).toBe(1);
    expect(server.lists()).toHaveLength(1);
    expect(server.openWatches).toBe(1);
    expect(lines.filter((line) => line.level === "warn")).toHaveLength(1);
    // The next relist does not try again.
    server.compact();
    server.cutWatches();
    await clock.advance(5_000);
    expect(informer.health.fallbacks).toBe(1);
    expect(server.lists().filter(({ limit }) => limit !== 1)).toHaveLength(2);
  });

  it("gives up a streaming list that keeps sending events but never ends", async () => {
    const { clock, server, informer, start } = setUp();
    server.streaming = "endless";
    await start();
    for (let number = 0; number < 12 && !informer.hasSynced; number += 1) {
      server.put(`w${number}`);
      await clock.advance(6_000);
    }
    expect(informer.hasSynced).toBe(true);
    expect(clock.now()).toBeLessThan(Date.UTC(2026, 0, 1) + 70_000);
  });

  it("streams the next list although the server has ended this one before it was complete, as when it shuts down", async () => {
    const { clock, server, informer, start } = setUp();
    server.streaming = "endless";
    server.put("a");
    await start();
    server.cutWatches();
    await clock.advance(1_000);
    expect(informer.hasSynced).toBe(true);
    expect(server.lists()).toHaveLength(1);
    server.streaming = "served";
    await clock.advance(10_000);
    server.compact();
    server.cutWatches();
    await clock.advance(20_000);
    expect(informer.health).toMatchObject({ state: "watching", relists: 1 });
    expect(server.watches().at(-1)).toMatchObject({ sendInitialEvents: true });
    expect(server.lists().filter(({ limit }) => limit !== 1)).toHaveLength(1);
  });

  it("resumes a closed watch from the last version, without asking for initial events again (T09)", async () => {
    const { clock, server, changes, start } = setUp();
    server.put("a");
    await start();
    server.put("b");
    await clock.advance(60_000);
    server.cutWatches();
    await clock.settle();
    expect(server.watches()).toHaveLength(2);
    expect(server.watches()[1]?.resourceVersion).toBe(server.revision);
    expect(server.watches()[1]?.sendInitialEvents).toBeUndefined();
    expect(brief(changes)).toEqual(["added a 1", "added b 1"]);
  });

  it("tells nothing when the server closes the stream every minute and nothing changed (T10)", async () => {
    const { clock, server, changes, start } = setUp();
    for (let number = 0; number < 50; number += 1) server.put(`w${number}`);
    await start();
    changes.length = 0;
    for (let minute = 0; minute < 30; minute += 1) {
      await clock.advance(60_000);
      server.bookmark();
      // Every third time the version is forgotten too, so that all is listed again.
      if (minute % 3 === 0) server.compact();
      server.cutWatches();
      await clock.advance(2_000);
    }
    expect(changes).toEqual([]);
    expect(server.openWatches).toBe(1);
  });

  it("tells what changed while the server was away, with the state from before (T12)", async () => {
    const { clock, server, changes, start } = setUp();
    server.put("a", { size: 1 });
    await start();
    server.onWatch = () => {
      throw connectionReset();
    };
    server.cutWatches(connectionReset());
    await clock.advance(20_000);
    server.put("a", { size: 2 });
    server.onWatch = () => undefined;
    await clock.advance(40_000);
    expect(changes.at(-1)).toMatchObject({
      type: "modified",
      old: { spec: { size: 1 } },
      object: { spec: { size: 2 } },
    });
  });

  it("finds what was deleted while it was away, and tells each with its last state (T07)", async () => {
    const { clock, server, informer, changes, start } = setUp();
    for (let number = 0; number < 100; number += 1) server.put(`gone-${number}`, { size: number });
    server.put("stays");
    await start();
    changes.length = 0;
    server.held = true;
    for (let number = 0; number < 100; number += 1) server.remove(`gone-${number}`);
    server.compact();
    server.held = false;
    server.cutWatches(connectionReset());
    await clock.advance(10_000);
    expect(changes).toHaveLength(100);
    expect(changes[7]).toMatchObject({
      type: "deleted",
      synthetic: true,
      object: { metadata: { name: "gone-7" }, spec: { size: 7 } },
    });
    expect(informer.lister.list().map((object) => object.metadata.name)).toEqual(["stays"]);
    expect(informer.health.relists).toBe(1);
  });

  it("tells a delete and an add when an object was deleted and made anew while it was away", async () => {
    const { clock, server, changes, start } = setUp();
    server.put("a", { size: 1 });
    await start();
    changes.length = 0;
    server.held = true;
    server.remove("a");
    server.put("a", { size: 2 });
    server.compact();
    server.held = false;
    server.cutWatches();
    await clock.advance(10_000);
    expect(changes).toMatchObject([
      { type: "deleted", synthetic: true, object: { spec: { size: 1 }, metadata: { uid: "uid-1" } } },
      { type: "added", initial: false, object: { spec: { size: 2 }, metadata: { uid: "uid-2" } } },
    ]);
  });

  it("completes the relist of 30,000 objects although the version expires between pages, and goes on (T05)", async () => {
    const { clock, server, informer, changes, start } = setUp();
    server.streaming = "refused";
    for (let number = 0; number < 30_000; number += 1) server.put(`w${number}`);
    await start();
    await clock.settle();
    expect(informer.lister.size).toBe(30_000);
    changes.length = 0;
    let pages = 0;
    server.onList = () => {
      pages += 1;
      if (pages !== 20) return;
      server.remove("w3");
      server.compact();
    };
    server.compact();
    server.cutWatches();
    await clock.advance(10_000);
    expect(pages).toBeGreaterThan(60);
    server.put("w17", { size: 5 });
    await clock.settle();
    expect(brief(changes)).toEqual(["deleted w3 1", "modified w17 5"]);
  });

  it("retries for ever with growing, jittered pauses, one log line per failure, and recovers (T02)", async () => {
    const { clock, server, informer, lines, start } = setUp();
    let failures = 12;
    server.onWatch = () => {
      if (failures > 0) {
        failures -= 1;
        throw connectionReset();
      }
    };
    server.put("a");
    await start();
    expect(informer.health).toMatchObject({
      state: "backingOff",
      synced: false,
      lastError: "the connection was reset",
    });
    expect(await clock.advanceUntil(() => informer.hasSynced)).toBe(true);
    const at = server.requests.map((request) => request.at);
    const pauses = at.slice(1).map((instant, index) => instant - (at[index] ?? 0));
    expect(pauses).toEqual([600, 1_200, 2_400, 4_800, 9_600, 19_200, ...Array<number>(6).fill(22_500)]);
    expect(lines.filter((line) => line.message === "list-watch step failed")).toHaveLength(12);
    expect(informer.health).toMatchObject({ state: "watching", lastError: undefined });
  });

  it("waits at least as long as the server asks", async () => {
    const { clock, server, informer, start } = setUp();
    let refused = false;
    server.onWatch = () => {
      if (refused) return;
      refused = true;
      throw apiError(429, "TooManyRequests", 7_000);
    };
    await start();
    await clock.advance(6_999);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    expect(informer.hasSynced).toBe(true);
  });

  it("begins with short pauses again after a stream that lasted", async () => {
    const { clock, server, start } = setUp();
    await start();
    for (let round = 0; round < 4; round += 1) {
      await clock.advance(10_000);
      server.cutWatches(connectionReset());
      await clock.advance(600);
      expect(server.openWatches).toBe(1);
    }
  });

  it("does not hammer a server that ends each watch as soon as it is open", async () => {
    const { clock, server, start } = setUp();
    await start();
    server.onWatch = () => queueMicrotask(() => server.cutWatches());
    server.cutWatches();
    await clock.advance(60_000);
    expect(server.watches().length).toBeLessThan(12);
  });

  it("opens a silent watch anew within 75 s and tells what it missed", async () => {
    const { clock, server, informer, changes, start } = setUp();
    await start();
    server.held = true;
    server.put("a");
    await clock.advance(70_000);
    expect(informer.health.state).toBe("backingOff");
    server.held = false;
    await clock.advance(5_000);
    expect(informer.health.state).toBe("watching");
    expect(brief(changes)).toEqual(["added a 1"]);
    expect(server.openWatches).toBe(1);
  });

  it("says when it last heard from the server", async () => {
    const { clock, server, informer, start } = setUp();
    expect(informer.health).toMatchObject({ state: "starting", lastActivity: undefined });
    await start();
    const synced = clock.now();
    await clock.advance(30_000);
    expect(informer.health.lastActivity).toBe(synced);
    server.bookmark();
    await clock.settle();
    expect(informer.health.lastActivity).toBe(synced + 30_000);
  });

  it.each([-3_600_000, 3_600_000])("takes no date that is set (%i ms) for silence", async (by) => {
    const { clock, dated, informer, start } = setUp();
    await start();
    await clock.advance(30_000);
    dated.set(by);
    expect(dated.now() - (informer.health.lastActivity ?? 0)).toBe(30_000);
    const checks = checkReadiness({ stage: "running", informers: [informer], now: dated.now() });
    expect(checks.flatMap(({ problem }) => problem ?? [])).toEqual([]);
  });
});

describe("list-watch, start and stop", () => {
  it.each([
    [0, 240],
    [0.999, 300],
  ])(
    "asks the server to end a watch after 4 to 5 minutes, at random, so that not all end at once (random %d)",
    async (random, timeoutSeconds) => {
      const clock = createVirtualClock();
      const server = new ScriptedServer(clock);
      const client = clientOf({ widgets: server });
      const cache = createSharedCache({ client, clock, random: () => random, log: silentLogger });
      cache.informer(widgets);
      const abort = new AbortController();
      cache.start(abort.signal);
      await clock.settle();
      expect(server.watches()).toMatchObject([{ timeoutSeconds }]);
      abort.abort();
    },
  );

  it("lists nothing that a streaming list reports as deleted before it is complete", async () => {
    const clock = createVirtualClock();
    const server = new ScriptedServer(clock);
    const [kept, gone] = [server.put("kept"), server.put("gone")];
    const client: KubeClient = {
      ...clientOf({ widgets: server }),
      follow: async (_type, { signal }, receive) => {
        await Promise.resolve();
        const tell = (event: unknown): void => void receive(event as never);
        tell({ type: "ADDED", object: gone });
        tell({ type: "ADDED", object: kept });
        tell({ type: "DELETED", object: gone });
        tell({ type: "BOOKMARK", resourceVersion: server.revision, initialEventsEnd: true });
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      },
    };
    const cache = createSharedCache({ client, clock, random: () => 0.5, log: silentLogger });
    const { lister } = cache.informer(widgets);
    const abort = new AbortController();
    cache.start(abort.signal);
    await clock.settle();
    expect(lister.list().map(({ metadata }) => metadata.name)).toEqual(["kept"]);
    abort.abort();
  });

  it("takes what a client delivers before it has returned", async () => {
    const clock = createVirtualClock();
    const server = new ScriptedServer(clock);
    const object = server.put("a", { size: 1 });
    const client: Pick<KubeClient, "follow"> = {
      follow: (_type, { signal }, receive) => {
        void receive({ type: "ADDED", object: object as never });
        void receive({ type: "BOOKMARK", resourceVersion: "9", initialEventsEnd: true });
        return new Promise((_resolve, reject) =>
          signal?.addEventListener("abort", () => reject(new Error("the test is over"))),
        );
      },
    };
    const cache = createSharedCache({
      client: client as KubeClient,
      clock,
      random: () => 0.5,
      log: silentLogger,
    });
    const abort = new AbortController();
    const informer = cache.informer(widgets);
    cache.start(abort.signal);
    await clock.settle();
    expect(informer.hasSynced).toBe(true);
    expect(informer.lister.size).toBe(1);
    abort.abort();
  });

  it("has at most one live watch, however often it is started and cut (T06)", async () => {
    const { clock, server, cache, abort, start } = setUp();
    await start();
    cache.start(abort.signal);
    cache.start(new AbortController().signal);
    for (let round = 0; round < 20; round += 1) {
      server.cutWatches(round % 2 === 0 ? connectionReset() : undefined);
      await clock.advance(3_000);
    }
    expect(server.mostOpenWatches).toBe(1);
    expect(server.watches().length).toBeLessThan(25);
  });

  it("opens no watch when it is stopped during the list", async () => {
    const { clock, server, informer, abort, start } = setUp();
    server.streaming = "refused";
    const gate = Promise.withResolvers<void>();
    server.onList = () => gate.promise;
    await start();
    abort.abort();
    await clock.settle();
    gate.resolve();
    await clock.advance(60_000);
    expect(server.watches()).toHaveLength(1); // the refused streaming list
    expect(server.lists()).toHaveLength(1);
    expect(informer.health.state).toBe("stopped");
  });

  it("stops at once even when the client ignores the signal", async () => {
    const { clock, server, informer, abort, start } = setUp();
    server.onWatch = () => new Promise(() => undefined);
    await start();
    abort.abort();
    await clock.settle();
    expect(informer.health.state).toBe("stopped");
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([0, 1, 300, 600, 5_000, 15_000, 70_000, 70_500, 130_000])(
    "leaves no stream, no timer and no request behind when it is stopped after %i ms",
    async (instant) => {
      const { clock, server, changes, abort, start } = setUp();
      let connects = 0;
      server.streaming = "endless";
      server.onWatch = () => {
        connects += 1;
        if (connects % 2 === 0) throw connectionReset();
      };
      server.put("a");
      await start();
      await clock.advance(instant);
      abort.abort();
      await clock.settle();
      const requests = server.requests.length;
      const seen = changes.length;
      server.put("b");
      await clock.advance(600_000);
      expect(server.openWatches).toBe(0);
      expect(clock.pendingTimers).toBe(0);
      expect(server.requests).toHaveLength(requests);
      expect(changes).toHaveLength(seen);
    },
  );

  it("leaves no listener of a stream behind that has ended", async () => {
    const { clock, server, abort, start } = setUp();
    await start();
    const listeners = getEventListeners(abort.signal, "abort").length;
    for (let round = 0; round < 20; round += 1) {
      server.cutWatches(round % 2 === 0 ? connectionReset() : undefined);
      await clock.advance(10_000);
    }
    expect(server.watches().length).toBeGreaterThan(20);
    expect(getEventListeners(abort.signal, "abort")).toHaveLength(listeners);
    abort.abort();
    await clock.settle();
    expect(getEventListeners(abort.signal, "abort")).toEqual([]);
  });

  it("takes no event of a stream that it has closed, although the client is late to notice", async () => {
    const { clock, server, informer, changes, abort, start } = setUp();
    server.put("a");
    await start();
    server.put("late");
    abort.abort();
    await clock.settle();
    expect(brief(changes)).toEqual(["added a 1"]);
    expect(informer.health.state).toBe("stopped");
    expect(server.openWatches).toBe(0);
  });

  it("never starts when the signal was aborted before", async () => {
    const { server, informer, abort, start } = setUp();
    abort.abort();
    await start();
    expect(server.requests).toEqual([]);
    expect(informer.health.state).toBe("stopped");
    await expect(informer.whenSynced()).rejects.toMatchObject({ code: "CACHE_NOT_SYNCED" });
  });

  it("completes the stream of changes on stop", async () => {
    const { clock, informer, abort, start } = setUp();
    let completed = false;
    informer.changes$.subscribe({ complete: () => (completed = true) });
    await start();
    expect(completed).toBe(false);
    abort.abort();
    await clock.settle();
    expect(completed).toBe(true);
  });
});

describe("list-watch of a server that was set back to an earlier state", () => {
  /** Ends as etcd's restoring ends watches: the connection breaks, or the API server closes it. */
  const ends = [connectionReset(), undefined];

  it.each(ends)("shows what is there within 15 s, and follows it (%s)", async (end) => {
    const { clock, server, informer, changes, start } = setUp();
    server.put("kept", { size: 1 });
    await start();
    const restore = server.backUp();
    server.put("kept", { size: 2 });
    for (let number = 0; number < 20; number += 1) server.put(`lost-${number}`);
    await clock.settle();
    restore();
    changes.length = 0;
    server.cutWatches(end);
    await clock.advance(15_000);
    expect(informer.lister.list().map(({ metadata, spec }) => [metadata.name, spec.size])).toEqual([
      ["kept", 1],
    ]);
    expect(changes.filter(({ type }) => type === "deleted")).toHaveLength(20);
    server.put("new", { size: 9 });
    await clock.settle();
    expect(brief(changes).at(-1)).toBe("added new 9");
  });

  it("is not taken for alive because it accepts the watch", async () => {
    const { clock, dated, server, informer, start } = setUp();
    server.put("kept");
    await start();
    const restore = server.backUp();
    server.put("lost");
    await clock.settle();
    restore();
    server.onList = () => {
      throw apiError(429, "TooManyRequests");
    };
    server.cutWatches(connectionReset());
    await clock.advance(15_000);
    expect(server.openWatches).toBe(1);
    const facts = { stage: "running", informers: [informer], now: dated.now() } as const;
    expect(checkReadiness(facts).flatMap(({ problem }) => problem ?? [])).toEqual([
      "lost 15 s ago (watching)",
    ]);
    server.onList = () => undefined;
    await clock.advance(90_000);
    expect(informer.lister.list().map(({ metadata }) => metadata.name)).toEqual(["kept"]);
  });

  it("lists again after a watch on which nothing has come", async () => {
    const { clock, server, informer, start } = setUp();
    await start();
    await clock.advance(75_000);
    expect(informer.health).toMatchObject({ relists: 0, reconnects: 1 });
    expect(server.lists()).toMatchObject([{ limit: 1 }]);
    await clock.advance(75_000);
    expect(informer.health.relists).toBe(1);
  });

  it("asks a server that is up to date for one object, and lists nothing", async () => {
    const { clock, server, informer, changes, start } = setUp();
    server.put("a");
    server.put("b");
    await start();
    changes.length = 0;
    server.cutWatches(connectionReset());
    await clock.advance(5_000);
    expect(server.lists()).toMatchObject([{ limit: 1 }]);
    expect(informer.health).toMatchObject({ state: "watching", relists: 0, lostSince: undefined });
    expect(changes).toEqual([]);
  });
});
