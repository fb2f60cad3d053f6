import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { openWatch } from "../../src/cache/watch-reader.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { clientOf, ScriptedServer, widgets } from "./scripted-server.ts";

function setUp() {
  const clock = createVirtualClock();
  const server = new ScriptedServer(clock);
  const stop = new AbortController();
  const open = () =>
    openWatch({
      client: clientOf({ widgets: server }),
      type: widgets,
      clock,
      stop: stop.signal,
      resourceVersion: "100",
    });
  return { clock, server, stop, open };
}

describe("watch reader", () => {
  it("leaves no listener on the signal that outlives it", async () => {
    const { clock, server, stop, open } = setUp();
    for (let round = 0; round < 20; round += 1) {
      const reader = open();
      server.put(`w${round}`);
      await reader.next();
      reader.close();
      reader.close();
    }
    await clock.settle();
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
    expect(server.openWatches).toBe(0);
  });

  it("ends a pending read when it is closed", async () => {
    const { clock, server, open } = setUp();
    const reader = open();
    const next = expect(reader.next()).rejects.toThrow("the watch was closed");
    await clock.settle();
    reader.close();
    await next;
    await clock.settle();
    expect(server.openWatches).toBe(0);
  });

  it("says that nothing came within the time, and keeps no timer", async () => {
    const { clock, open } = setUp();
    const reader = open();
    const quiet = reader.nextWithin(1_000);
    await clock.advance(1_000);
    expect(await quiet).toBe("quiet");
    reader.close();
    await clock.settle();
    expect(clock.pendingTimers).toBe(0);
  });

  it("opens nothing when the signal was aborted before", async () => {
    const { server, stop, open } = setUp();
    stop.abort(new Error("enough"));
    const reader = open();
    await expect(reader.next()).rejects.toThrow("enough");
    expect(server.openWatches).toBe(0);
    reader.close();
  });
});
