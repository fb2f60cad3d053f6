import { describe, expect, it } from "vitest";
import { createSharedCache } from "../../src/cache/shared-cache.ts";
import { checkReadiness } from "../../src/manager/readiness.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import type { OperatorStage } from "../../src/ports/operator-health.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { clientOf, connectionReset, ScriptedServer, widgets } from "../cache/scripted-server.ts";

async function setUp() {
  const clock = createVirtualClock();
  const server = new ScriptedServer(clock);
  const client = clientOf({ widgets: server });
  const cache = createSharedCache({ client, clock, random: () => 0.5, log: silentLogger });
  cache.informer(widgets);
  const abort = new AbortController();
  const problems = (): (string | undefined)[] =>
    checkReadiness({ stage: "running", informers: cache.informers, now: clock.now() }).map(
      ({ problem }) => problem,
    );
  const start = async (): Promise<void> => {
    cache.start(abort.signal);
    await clock.settle();
  };
  return { clock, server, cache, abort, problems, start };
}

describe("readiness", () => {
  it("begins when every cache is complete, and ends with the operator", async () => {
    const { clock, server, problems, start, abort } = await setUp();
    server.streaming = "endless";
    await start();
    expect(problems()).toEqual([undefined, "the cache is not complete (listing)"]);
    await clock.advance(16_000);
    expect(problems()).toEqual([undefined, undefined]);
    abort.abort();
    await clock.settle();
    expect(problems()).toEqual([undefined, "the cache is not complete (stopped)"]);
  });

  it("is only there while the operator runs, or stands by", () => {
    const named = (stage: OperatorStage) => checkReadiness({ stage, informers: [], now: 0 });
    expect(named("starting")).toEqual([{ name: "manager", problem: "the operator is starting" }]);
    expect(named("standby")).toEqual([{ name: "manager" }]);
    expect(named("running")).toEqual([{ name: "manager" }]);
    expect(named("stopping")).toEqual([{ name: "manager", problem: "the operator is stopping" }]);
  });

  it("is there without a type that is unavailable, unless it is a kind of the operator's own and nothing of it is served", () => {
    const watch = (namespace: string, reason?: "forbidden") => ({
      type: widgets,
      scope: { namespace },
      health: { state: "watching", synced: true } as never,
      unavailable: reason && { reason, message: "said by the server", remedy: "" },
    });
    const checks = (kinds: readonly (typeof widgets)[], ...informers: ReturnType<typeof watch>[]) =>
      checkReadiness({ stage: "running", informers, kinds, now: 0 }).slice(1);
    const why = "the operator may not list and watch it: grant it the permission";
    const name = "watch of widgets.example.com in namespace a";
    expect(checks([], watch("a", "forbidden"))).toEqual([{ name, warning: why }]);
    expect(checks([widgets], watch("a", "forbidden"))).toEqual([{ name, problem: why }]);
    expect(checks([widgets], watch("a", "forbidden"), watch("b"))).toEqual([
      { name, warning: why },
      { name: "watch of widgets.example.com in namespace b" },
    ]);
  });

  it("outlasts a watch that is lost and soon opened again", async () => {
    const { clock, server, problems, start } = await setUp();
    await start();
    server.cutWatches(connectionReset());
    for (let second = 0; second < 60; second += 1) {
      await clock.advance(1_000);
      expect(problems()).toEqual([undefined, undefined]);
    }
  });

  it("ends when a watch stays lost, and is back as soon as the server accepts a watch that says nothing yet", async () => {
    const { clock, server, problems, start } = await setUp();
    await start();
    server.onWatch = () => {
      throw connectionReset();
    };
    server.cutWatches(connectionReset());
    await clock.advance(9_999);
    expect(problems()).toEqual([undefined, undefined]);
    await clock.advance(1);
    expect(problems()[1]).toBe("lost 10 s ago (backingOff)");
    await clock.advance(120_000);
    expect(problems()[1]).toMatch(/^lost 130 s ago/);
    server.onWatch = () => undefined;
    const heldBack = server.watches().length;
    expect(await clock.advanceUntil(() => server.openWatches === 1, 60_000)).toBe(true);
    expect(server.watches().length).toBeGreaterThan(heldBack);
    expect(problems()).toEqual([undefined, undefined]);
  });

  it("ends while a watch that was asked for gets no answer", async () => {
    const { clock, server, problems, start } = await setUp();
    await start();
    await clock.advance(20_000);
    server.onWatch = () => new Promise(() => undefined);
    server.cutWatches();
    await clock.advance(49_999);
    expect(problems()).toEqual([undefined, undefined]);
    await clock.advance(1);
    expect(problems()[1]).toBe("no response for 70 s (watching)");
  });

  it("ends with a watch that is silent for longer than its watchdog allows", async () => {
    const { clock, server, problems, start } = await setUp();
    await start();
    server.onWatch = () => new Promise(() => undefined);
    await clock.advance(70_000);
    expect(problems()[1]).toMatch(/^no response for 70 s/);
  });
});
