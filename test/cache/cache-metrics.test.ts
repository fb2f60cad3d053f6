import { describe, expect, it } from "vitest";
import { createSharedCache } from "../../src/cache/shared-cache.ts";
import { createPrometheusMetrics } from "../../src/manager/prometheus-metrics.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { samplesOf } from "../support/samples.ts";
import { clientOf, connectionReset, ScriptedServer, widgets } from "./scripted-server.ts";

async function setUp() {
  const clock = createVirtualClock();
  const server = new ScriptedServer(clock);
  const metrics = createPrometheusMetrics();
  const client = clientOf({ widgets: server });
  const cache = createSharedCache({ client, clock, random: () => 0.5, log: silentLogger, metrics });
  const informer = cache.informer(widgets);
  const read = async (name: string, labels = ""): Promise<number | undefined> =>
    samplesOf(await metrics.expose()).get(
      `xstate_operator_informer_${name}{resource="widgets.example.com"${labels}}`,
    );
  server.put("a");
  const start = async (): Promise<void> => {
    cache.start(new AbortController().signal);
    await clock.settle();
  };
  return { clock, server, informer, read, start };
}

describe("metrics of the cache", () => {
  it("say whether a type is complete and how many objects it has", async () => {
    const { read, start } = await setUp();
    expect(await read("synced")).toBe(0);
    await start();
    expect(await read("synced")).toBe(1);
    expect(await read("objects")).toBe(1);
    expect(await read("own_write_overlays")).toBe(0);
  });

  it("count watch events by type, and not the objects of the list", async () => {
    const { clock, server, read, start } = await setUp();
    await start();
    expect(await read("events_total", ',type="added"')).toBe(0);
    server.put("b");
    server.put("b", { size: 7 });
    server.remove("b");
    server.bookmark();
    await clock.settle();
    expect(await read("events_total", ',type="added"')).toBe(1);
    expect(await read("events_total", ',type="modified"')).toBe(1);
    expect(await read("events_total", ',type="deleted"')).toBe(1);
    expect(await read("events_total", ',type="bookmark"')).toBe(1);
  });

  it("count relists and reconnects, and tell how old the last sign of life is", async () => {
    const { clock, server, read, start } = await setUp();
    await start();
    await clock.advance(30_000);
    expect(await read("last_activity_age_seconds")).toBe(30);
    server.cutWatches(connectionReset());
    await clock.advance(5_000);
    expect(await read("reconnects_total")).toBe(1);
    expect(await read("relists_total")).toBe(0);
    server.cutWatches(connectionReset());
    server.compact();
    await clock.advance(20_000);
    expect(await read("relists_total")).toBe(1);
  });

  it("count own writes that are ahead of the watch", async () => {
    const { clock, server, informer, read, start } = await setUp();
    await start();
    server.held = true;
    informer.recordWrite(server.put("a", { size: 2 }));
    expect(await read("own_write_overlays")).toBe(1);
    expect(informer.health.overlays).toBe(1);
    server.release();
    await clock.settle();
    expect(await read("own_write_overlays")).toBe(0);
  });
});
