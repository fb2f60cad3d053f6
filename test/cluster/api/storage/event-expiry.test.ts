import { expect, it } from "vitest";
import type { ApiObject } from "../../../../src/cluster/api/api-object.ts";
import { expireEvents } from "../../../../src/cluster/api/storage/event-expiry.ts";
import { ObjectStore } from "../../../../src/cluster/api/storage/object-store.ts";
import { createVirtualClock } from "../../../../src/testing/virtual-clock.ts";

const [minute, hour] = [60_000, 3_600_000];

const event = (name: string, more: object = {}): ApiObject => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name, namespace: "default" },
  ...more,
});

function start(before: readonly ApiObject[] = []) {
  const [store, clock] = [new ObjectStore(), createVirtualClock()];
  for (const each of before) store.put("events", each);
  const stop = expireEvents({ store, clock });
  const put = (...args: Parameters<typeof event>): ApiObject => store.put("events", event(...args));
  const names = (): string[] => store.list("events").map(({ metadata }) => metadata.name);
  return { store, clock, stop, put, names };
}

it("removes an Event an hour after it was written last, and watches see it deleted", async () => {
  const { store, clock, put, names } = start();
  const seen: string[] = [];
  store.subscribe("events", ({ type, object }) => seen.push(`${type} ${object.metadata.name}`));
  put("once");
  put("again");
  await clock.advance(40 * minute);
  put("again", { count: 2 });
  put("later");
  await clock.advance(19 * minute);
  expect(names()).toEqual(["again", "later", "once"]);
  await clock.advance(2 * minute);
  expect(names()).toEqual(["again", "later"]);
  await clock.advance(40 * minute);
  expect(names()).toEqual([]);
  expect(seen.slice(4)).toEqual(["DELETED once", "DELETED again", "DELETED later"]);
  expect(clock.pendingTimers).toBe(0);
});

it("leaves other objects, and what was deleted and made again", async () => {
  const { store, clock, put, names } = start();
  store.put("configmaps", event("map"));
  store.remove("events", put("made-again"));
  await clock.advance(30 * minute);
  put("made-again");
  await clock.advance(45 * minute);
  expect(names()).toEqual(["made-again"]);
  await clock.advance(hour);
  expect(names()).toEqual([]);
  expect(store.count("configmaps")).toBe(1);
});

it("counts the age of kept Events by what they say, newest time first", async () => {
  const ago = (minutes: number): string =>
    new Date(createVirtualClock().now() - minutes * minute).toISOString();
  const { clock, names } = start([
    event("seen-again", {
      metadata: { name: "seen-again", creationTimestamp: ago(300) },
      lastTimestamp: ago(10),
    }),
    event("series", {
      metadata: { name: "series", creationTimestamp: ago(300) },
      series: { lastObservedTime: ago(30) },
    }),
    event("old", { metadata: { name: "old", creationTimestamp: ago(300) } }),
    event("set-ahead", { metadata: { name: "set-ahead", creationTimestamp: ago(-600) } }),
  ]);
  await clock.advance(minute);
  expect(names()).toEqual(["seen-again", "series", "set-ahead"]);
  await clock.advance(30 * minute);
  expect(names()).toEqual(["seen-again", "set-ahead"]);
  await clock.advance(30 * minute);
  expect(names()).toEqual([]);
});

it("tries again what could not be kept", async () => {
  let isFull = false;
  const journal = {
    takeContent: () => undefined,
    append: () => {
      if (isFull) throw new Error("no space left");
    },
    settle: () => undefined,
  };
  const [store, clock] = [new ObjectStore({ journal }), createVirtualClock()];
  expireEvents({ store, clock });
  store.put("events", event("one"));
  isFull = true;
  await clock.advance(hour + minute);
  expect(store.count("events")).toBe(1);
  isFull = false;
  await clock.advance(minute);
  expect(store.count("events")).toBe(0);
});

it("keeps them for as long as it is asked to, which may be longer than a timer takes", async () => {
  const [store, clock] = [new ObjectStore(), createVirtualClock()];
  const days = 24 * hour;
  expireEvents({ store, clock }, 60 * days);
  store.put("events", event("one"));
  await clock.advance(60 * days - hour);
  expect(store.count("events")).toBe(1);
  await clock.advance(2 * hour);
  expect(store.count("events")).toBe(0);
});

it("lets go of its timer when it is stopped", () => {
  const { clock, put, stop } = start();
  put("one");
  expect(clock.pendingTimers).toBe(1);
  stop();
  put("two");
  expect(clock.pendingTimers).toBe(0);
});
