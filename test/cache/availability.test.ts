import { describe, expect, it } from "vitest";
import type { Unavailability } from "../../src/cache/availability.ts";
import { createSharedCache } from "../../src/cache/shared-cache.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { apiError, clientOf, connectionReset, ScriptedServer, widgets } from "./scripted-server.ts";

function setUp() {
  const clock = createVirtualClock();
  const server = new ScriptedServer(clock);
  const cache = createSharedCache({
    client: clientOf({ widgets: server }),
    clock,
    random: () => 0.5,
    log: silentLogger,
  });
  const informer = cache.informer(widgets, { namespace: "default" });
  const seen: (Unavailability["reason"] | undefined)[] = [];
  informer.availability$.subscribe((unavailable) => seen.push(unavailable?.reason));
  let known = false;
  void cache.whenKnown().then(() => (known = true));
  const abort = new AbortController();
  const refuse = (error: Error | undefined): void => {
    const answer = (): void => {
      if (error !== undefined) throw error;
    };
    server.onList = answer;
    server.onWatch = answer;
  };
  return {
    clock,
    server,
    cache,
    informer,
    seen,
    refuse,
    start: () => cache.start(abort.signal),
    isKnown: () => known,
  };
}

describe("a type that cannot be had", () => {
  it.each([
    ["is not served", 404, "NotFound", "notServed", /does not serve widgets\.example\.com in version v1/],
    ["is forbidden", 403, "Forbidden", "forbidden", /may not list and watch .* in namespace "default"/],
  ] as const)(
    "is known to be so when it %s twice in a row, and is available once it is listed",
    async (_name, status, reason, found, message) => {
      const { clock, server, informer, seen, refuse, start, isKnown } = setUp();
      server.put("a");
      refuse(apiError(status, reason));
      start();
      await clock.settle();
      // A CRD or a role may be created together with the operator.
      expect(informer.unavailable).toBeUndefined();
      expect(isKnown()).toBe(false);
      await clock.advance(1_000);
      expect(informer.unavailable).toMatchObject({ reason: found, message: expect.stringMatching(message) });
      expect(isKnown()).toBe(true);
      expect(informer.hasSynced).toBe(false);
      refuse(undefined);
      await clock.advance(30_000);
      expect(informer.unavailable).toBeUndefined();
      expect(informer.lister.size).toBe(1);
      expect(seen).toEqual([found, undefined]);
    },
  );

  it("is waited for while the server cannot be reached: then all types have the same trouble", async () => {
    const { clock, refuse, start, isKnown } = setUp();
    refuse(connectionReset());
    start();
    await clock.advance(600_000);
    expect(isKnown()).toBe(false);
  });

  it("is given up for now when its first list fails again and again, as with an object that cannot be converted", async () => {
    const { clock, informer, refuse, start, isKnown } = setUp();
    refuse(apiError(500, "InternalError"));
    start();
    await clock.advance(3_000);
    expect(isKnown()).toBe(false);
    await clock.advance(60_000);
    expect(isKnown()).toBe(true);
    expect(informer.unavailable?.reason).toBe("failing");
  });

  it("goes away while it is watched: it is listed again when it is back, as it may be another one", async () => {
    const { clock, server, informer, seen, refuse, start } = setUp();
    server.put("a");
    start();
    await clock.advance(10_000);
    expect(informer.hasSynced).toBe(true);
    refuse(apiError(403, "Forbidden"));
    server.cutWatches();
    await clock.advance(10_000);
    expect(informer.unavailable?.reason).toBe("forbidden");
    server.remove("a");
    server.put("b");
    refuse(undefined);
    const before = server.watches().length;
    await clock.advance(30_000);
    expect(server.watches().slice(before)[0]).toMatchObject({ sendInitialEvents: true });
    expect(seen).toEqual(["forbidden", undefined]);
    expect(informer.lister.list().map(({ metadata }) => metadata.name)).toEqual(["b"]);
  });

  it("is not waited for by a process that takes over", async () => {
    const { clock, cache, refuse, start } = setUp();
    refuse(apiError(403, "Forbidden"));
    start();
    await clock.advance(1_000);
    const abort = new AbortController();
    let done = false;
    void cache.catchUp(abort.signal).then(() => (done = true));
    await clock.settle();
    expect(done).toBe(true);
  });
});
