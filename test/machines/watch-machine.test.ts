import { describe, expect, it } from "vitest";
import { createActor, initialTransition, transition, type SnapshotFrom } from "xstate";
import { watchMachine, type WatchEvent } from "../../machines/watch-machine.ts";

type Snapshot = SnapshotFrom<typeof watchMachine>;

const after = (...events: WatchEvent[]): Snapshot =>
  events.reduce<Snapshot>(
    (snapshot, event) => transition(watchMachine, snapshot, event)[0],
    initialTransition(watchMachine, { streaming: true })[0],
  );

const synced: WatchEvent = { type: "watch.synced" };
const dropped: WatchEvent = { type: "watch.dropped", healthy: false };
const retry: WatchEvent = { type: "watch.retry" };

describe("watch machine", () => {
  const paths: [string, WatchEvent[], string][] = [
    ["begins with a streaming list", [], "streamingList"],
    ["watches once the list is complete", [synced], "watching"],
    ["lists page by page when the server refuses", [{ type: "watch.unsupported" }], "listing"],
    ["lists page by page when the end never comes", [{ type: "watch.unfinished" }], "listing"],
    ["watches after the pages", [{ type: "watch.unsupported" }, { type: "watch.listed" }], "watching"],
    ["pauses after a failed list", [{ type: "watch.failed" }], "backingOff"],
    ["tries the streaming list again after a pause", [{ type: "watch.failed" }, retry], "streamingList"],
    [
      "resumes at once when a watch that lasted ends",
      [synced, { type: "watch.ended", healthy: true }],
      "watching",
    ],
    [
      "pauses when a watch ends as soon as it is open",
      [synced, { type: "watch.ended", healthy: false }],
      "backingOff",
    ],
    [
      "pauses when a watch breaks, also one that lasted",
      [synced, { type: "watch.dropped", healthy: true }],
      "backingOff",
    ],
    ["resumes the watch after a break, without listing again", [synced, dropped, retry], "watching"],
    [
      "lists again at once when the version has expired",
      [synced, { type: "watch.expired", healthy: true }],
      "streamingList",
    ],
    [
      "pauses when it expires as soon as it is open",
      [synced, { type: "watch.expired", healthy: false }],
      "backingOff",
    ],
    ["then lists again", [synced, { type: "watch.expired", healthy: false }, retry], "streamingList"],
    [
      "lists again when the server may have been set back",
      [synced, { type: "watch.doubted", healthy: true }, retry],
      "streamingList",
    ],
    [
      "streams the next list after one that the server has interrupted",
      [{ type: "watch.interrupted" }, { type: "watch.listed" }, { type: "watch.expired", healthy: true }],
      "streamingList",
    ],
    [
      "keeps to pages once streaming did not work",
      [{ type: "watch.unfinished" }, { type: "watch.listed" }, { type: "watch.expired", healthy: true }],
      "listing",
    ],
  ];
  it.each(paths)("%s", (_, events, state) => {
    expect(after(...events).value).toBe(state);
  });

  it.each([
    ["streamingList", []],
    ["listing", [{ type: "watch.unsupported" }]],
    ["watching", [synced]],
    ["backingOff", [{ type: "watch.failed" }]],
  ] satisfies [string, WatchEvent[]][])("stops from %s", (state, events) => {
    expect(after(...events).value).toBe(state);
    const stopped = after(...events, { type: "watch.stop" });
    expect(stopped.value).toBe("stopped");
    expect(stopped.status).toBe("done");
  });

  it("counts failures in a row, and begins anew after a stream that lasted", () => {
    expect(after(synced, dropped, retry, dropped, retry, dropped).context.failures).toBe(3);
    const lasted: WatchEvent = { type: "watch.dropped", healthy: true };
    expect(after(synced, dropped, retry, dropped, retry, lasted).context.failures).toBe(1);
    expect(after(synced, dropped, retry, { type: "watch.ended", healthy: true }).context.failures).toBe(0);
    // A list alone is no proof of health: lists that work and watches that do not must not spin.
    expect(after({ type: "watch.failed" }, retry, synced, dropped).context.failures).toBe(2);
  });

  it("remembers how long the server wants to be left alone, for the next pause only", () => {
    expect(after({ type: "watch.failed", retryAfter: 7_000 }).context.retryAfter).toBe(7_000);
    expect(
      after({ type: "watch.failed", retryAfter: 7_000 }, retry, { type: "watch.failed" }).context.retryAfter,
    ).toBe(0);
  });

  it("only forgets where to resume when the version has expired", () => {
    expect(after(synced, dropped, retry, dropped).context.resumable).toBe(true);
    expect(after(synced, { type: "watch.expired", healthy: true }).context.resumable).toBe(false);
  });

  it("survives JSON in every state", () => {
    for (const [, events] of paths) {
      const snapshot = after(...events);
      const actor = createActor(watchMachine, { snapshot, input: { streaming: true } });
      const persisted: unknown = JSON.parse(JSON.stringify(actor.getPersistedSnapshot()));
      const restored = createActor(watchMachine, {
        snapshot: persisted as Snapshot,
        input: { streaming: true },
      });
      expect(restored.getSnapshot().value).toBe(snapshot.value);
      expect(restored.getSnapshot().context).toEqual(snapshot.context);
    }
  });
});
