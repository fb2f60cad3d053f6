import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { maxCauses, type Cause } from "../../src/queue/cause.ts";
import { createWorkQueue } from "../../src/queue/keyed-work-queue.ts";
import type { WorkQueue } from "../../src/queue/work-queue.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { withDate } from "../support/set-clock.ts";

const setUp = (options: Partial<Parameters<typeof createWorkQueue>[0]> = {}) => {
  const clock = createVirtualClock(0);
  return { clock, queue: createWorkQueue({ clock, random: () => 1, ...options }) };
};

/** Keys in the order in which one worker gets them, until none is ready. */
async function drain(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = [];
  while (queue.depth > 0) {
    const item = await queue.take();
    if (item === undefined) break;
    keys.push(item.key);
    queue.done(item.key);
  }
  return keys;
}

describe("work queue", () => {
  it("hands out a key once, however often it was added", async () => {
    const { queue } = setUp();
    queue.add("a");
    queue.add("a");
    queue.add("b");
    expect(queue.depth).toBe(2);
    expect(await drain(queue)).toEqual(["a", "b"]);
  });

  it("hands out a key added while it is processed only after done, and then once", async () => {
    const { queue } = setUp();
    queue.add("a");
    await queue.take();
    queue.add("a");
    queue.add("a");
    expect(queue.depth).toBe(0);
    const next = queue.take();
    queue.done("a");
    expect((await next)?.key).toBe("a");
    queue.done("a");
    expect(queue.depth).toBe(0);
    expect(queue.processing).toBe(0);
  });

  it("goes on as before after a key that it could not take in", async () => {
    const groupOf = (key: string): string => {
      if (key === "none") throw new Error("no group");
      return key;
    };
    const { queue } = setUp({ groupOf });
    expect(() => queue.add("none")).toThrow("no group");
    queue.add("a");
    expect(queue.depth).toBe(1);
    expect(await drain(queue)).toEqual(["a"]);
  });

  it("gives a waiting taker the key at once", async () => {
    const { queue } = setUp();
    const first = queue.take();
    const second = queue.take();
    queue.add("a");
    queue.add("b");
    expect((await first)?.key).toBe("a");
    expect((await second)?.key).toBe("b");
    expect(queue.processing).toBe(2);
  });

  it("unites the causes of one key, each once, and starts anew when it was handed out", async () => {
    const { queue } = setUp();
    const edited: Cause = { reason: "modified", kind: "Database", object: "ns/a", detail: "spec.size" };
    queue.add("a", { cause: edited });
    queue.add("a", { cause: { ...edited } });
    queue.addAfter("a", 50, { cause: { reason: "resync" } });
    expect((await queue.take())?.causes).toEqual([edited, { reason: "resync" }]);
    queue.add("a");
    queue.done("a");
    expect((await queue.take())?.causes).toEqual([]);
  });

  it("keeps a bounded number of causes and counts the rest", async () => {
    const { queue } = setUp();
    for (let number = 0; number < maxCauses + 5; number += 1) {
      queue.add("a", { cause: { reason: "modified", object: `ns/${number}` } });
    }
    const item = await queue.take();
    expect(item?.causes).toHaveLength(maxCauses);
    expect(item?.causes[0]).toEqual({ reason: "modified", object: "ns/0" });
    expect(item?.moreCauses).toBe(5);
  });

  it("says how long the key was ready", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("a", 100);
    await clock.advance(250);
    expect((await queue.take())?.waited).toBe(150);
  });

  it("ignores done for a key that was not taken", async () => {
    const { queue } = setUp();
    queue.add("a");
    queue.done("a");
    expect(queue.depth).toBe(1);
  });
});

describe("work queue, delays", () => {
  it("hands out a delayed key when its instant has come, not before", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("a", 1_000);
    await clock.advance(999);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(await drain(queue)).toEqual(["a"]);
  });

  it("lets the earlier instant of one key win, whichever was added first", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("a", 1_000);
    queue.addAfter("a", 200);
    queue.addAfter("b", 200);
    queue.addAfter("b", 1_000);
    await clock.advance(200);
    expect(await drain(queue)).toEqual(["a", "b"]);
    await clock.advance(5_000);
    expect(queue.depth).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it("drops the instant when the key is added at once, and leaves no timer behind", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("a", 1_000);
    queue.add("a");
    expect(queue.delayed).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    expect(await drain(queue)).toEqual(["a"]);
  });

  it("does not pile up instants that were overtaken", async () => {
    const { clock, queue } = setUp();
    for (let turn = 0; turn < 1_000; turn += 1) {
      queue.addAfter("a", 36_000_000);
      queue.add("a");
      await drain(queue);
    }
    expect(queue.delayed).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it("keeps a delayed key back while it is processed, and hands it out after done", async () => {
    const { clock, queue } = setUp();
    queue.add("a");
    await queue.take();
    queue.addAfter("a", 10);
    await clock.advance(100);
    expect(queue.depth).toBe(0);
    queue.done("a");
    expect(await drain(queue)).toEqual(["a"]);
  });

  it("goes on when the timer fires early", async () => {
    let now = 0;
    const callbacks: (() => void)[] = [];
    const queue = createWorkQueue({
      clock: {
        now: () => now,
        setTimeout: (callback) => {
          callbacks.push(callback);
          return callback;
        },
        clearTimeout: () => undefined,
      },
    });
    queue.addAfter("a", 10);
    now = 9;
    callbacks.shift()?.();
    expect(queue.depth).toBe(0);
    now = 10;
    callbacks.shift()?.();
    expect(queue.depth).toBe(1);
  });
});

describe("work queue, backoff", () => {
  it("doubles the delay per failure in a row from 5 ms up to 1000 s, and starts anew after forget", async () => {
    const { clock, queue } = setUp();
    const delays: number[] = [];
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const delay = queue.addRateLimited("a");
      delays.push(delay);
      await clock.advance(delay);
      const item = await queue.take();
      expect(item?.failures).toBe(attempt + 1);
      queue.done("a");
    }
    expect(delays.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(delays.at(-1)).toBe(1_000_000);
    queue.forget("a");
    expect(queue.addRateLimited("a")).toBe(5);
  });

  it("takes off up to half of the delay at random", () => {
    const { queue } = setUp({ random: () => 0, backoff: { base: 100, max: 1_000 } });
    expect(queue.addRateLimited("a")).toBe(50);
  });

  it("waits no longer than it is told, and counts no further then", async () => {
    const { clock, queue } = setUp();
    const fail = async (longest?: number): Promise<number> => {
      const delay = queue.addRateLimited("a", longest === undefined ? {} : { longest });
      await clock.advance(delay);
      await queue.take();
      queue.done("a");
      return delay;
    };
    const delays: number[] = [];
    for (let attempt = 0; attempt < 20; attempt += 1) delays.push(await fail(15));
    expect(delays.slice(0, 4)).toEqual([5, 10, 10, 10]);
    expect(await fail()).toBe(20);
    expect(await fail()).toBe(40);
    expect(await fail(15)).toBe(15);
    expect(await fail()).toBe(80);
  });

  it("keeps the failures of one key apart from those of another", () => {
    const { queue } = setUp();
    queue.addRateLimited("a");
    expect(queue.addRateLimited("b")).toBe(5);
  });

  it("does not let unrelated changes use up the schedule of a failing key (T41)", async () => {
    const { clock, queue } = setUp({ backoff: { base: 1_000 } });
    const failNow = async () => {
      const item = await queue.take();
      const delay = queue.addRateLimited("a");
      queue.done("a");
      return { failures: item?.failures, delay };
    };
    queue.add("a");
    expect(await failNow()).toEqual({ failures: 0, delay: 1_000 });
    for (let event = 1; event <= 10; event += 1) {
      await clock.advance(50);
      queue.add("a");
      expect(await failNow()).toEqual({ failures: 1, delay: 1_000 - event * 50 });
    }
    await clock.advance(500);
    expect(await failNow()).toEqual({ failures: 1, delay: 2_000 });
  });
});

describe("work queue, order", () => {
  it("serves the higher priority first, and equals in order of arrival", async () => {
    const { queue } = setUp();
    queue.add("low", { priority: -100 });
    queue.add("one");
    queue.add("high", { priority: 5 });
    queue.add("two");
    expect(await drain(queue)).toEqual(["high", "one", "two", "low"]);
  });

  it("raises a waiting key when it is added again with a higher priority, never lowers it", async () => {
    const { queue } = setUp();
    queue.add("a", { priority: -100 });
    queue.add("b", { priority: -100 });
    queue.add("c", { priority: -100 });
    queue.add("b");
    queue.add("b", { priority: -200 });
    expect(await drain(queue)).toEqual(["b", "a", "c"]);
  });

  it("serves a due high-priority key before low ones that were ready first (T37)", async () => {
    const { clock, queue } = setUp();
    for (let number = 0; number < 50; number += 1) queue.add(`low-${number}`, { priority: -100 });
    queue.addAfter("high", 1_000, { priority: 10 });
    await clock.advance(1_000);
    expect((await queue.take())?.key).toBe("high");
  });

  it("serves every initial key within a bound under a steady load of requeues (T36)", async () => {
    const { clock, queue } = setUp();
    const initial = 5_000;
    for (let number = 0; number < initial; number += 1) queue.add(`initial-${number}`, { priority: -100 });
    let served = 0;
    let turns = 0;
    // One worker with 10 ms per key, and one new key per turn: without ageing no initial key would ever be served.
    while (served < initial && turns < 4 * initial + 1_000) {
      queue.add(`busy-${turns % 500}`);
      const item = await queue.take();
      if (item?.key.startsWith("initial-") === true) served += 1;
      queue.done(item?.key ?? "");
      await clock.advance(10);
      turns += 1;
    }
    expect(served).toBe(initial);
  });

  it("serves a fresh edit within a few turns although a flood has become old (T39)", async () => {
    const { clock, queue } = setUp();
    for (let number = 0; number < 1_000; number += 1) queue.add(`flood-${number}`, { priority: -100 });
    await clock.advance(60_000);
    for (let round = 0; round < 50; round += 1) {
      queue.add("edit");
      const first = await queue.take();
      const second = await queue.take();
      expect([first?.key, second?.key]).toContain("edit");
      queue.done(first?.key ?? "");
      queue.done(second?.key ?? "");
    }
  });

  it("takes turns between groups, so that a crowded namespace does not hold up a quiet one", async () => {
    const { queue } = setUp({ groupOf: (key) => key.slice(0, key.indexOf("/")) });
    for (let number = 0; number < 4; number += 1) queue.add(`crowded/${number}`);
    queue.add("quiet/a");
    queue.add("calm/a");
    expect(await drain(queue)).toEqual([
      "crowded/0",
      "quiet/a",
      "calm/a",
      "crowded/1",
      "crowded/2",
      "crowded/3",
    ]);
  });
});

describe("work queue, shutdown", () => {
  it("lets waiting takers go with nothing", async () => {
    const { queue } = setUp();
    const takers = [queue.take(), queue.take()];
    await queue.shutDown();
    expect(await Promise.all(takers)).toEqual([undefined, undefined]);
    expect(await queue.take()).toBeUndefined();
  });

  it("waits for the keys that are processed, drops those that wait, refuses new ones, keeps no timer", async () => {
    const { clock, queue } = setUp();
    queue.add("a");
    await queue.take();
    queue.add("a");
    queue.add("b");
    queue.addAfter("c", 1_000);
    let finished = false;
    const shutDown = queue.shutDown().then(() => (finished = true));
    queue.add("d");
    expect(clock.pendingTimers).toBe(0);
    await clock.settle();
    expect(finished).toBe(false);
    queue.done("a");
    await shutDown;
    expect(queue.depth + queue.delayed + queue.processing).toBe(0);
    expect(await queue.take()).toBeUndefined();
  });

  it("waits for the last of several keys that are processed", async () => {
    const { clock, queue } = setUp();
    for (const key of ["a", "b", "c"]) queue.add(key);
    for (let taken = 0; taken < 3; taken += 1) await queue.take();
    let finished = false;
    void queue.shutDown().then(() => (finished = true));
    for (const key of ["b", "a"]) {
      queue.done(key);
      await clock.settle();
      expect(finished).toBe(false);
    }
    queue.done("c");
    await clock.settle();
    expect(finished).toBe(true);
  });

  it("can be asked twice", async () => {
    const { queue } = setUp();
    await Promise.all([queue.shutDown(), queue.shutDown()]);
    expect(queue.depth).toBe(0);
  });

  it("lets a taker go whose signal is aborted, and gives the next key to another", async () => {
    const { queue } = setUp();
    const abort = new AbortController();
    const gone = queue.take(abort.signal);
    const stays = queue.take();
    abort.abort();
    expect(await gone).toBeUndefined();
    queue.add("a");
    expect((await stays)?.key).toBe("a");
    expect(await queue.take(abort.signal)).toBeUndefined();
  });

  it("listens to the signal of its takers once, however often they take and however many wait", async () => {
    const { queue } = setUp();
    const abort = new AbortController();
    for (let turn = 0; turn < 20; turn += 1) {
      const taken = queue.take(abort.signal);
      queue.add("a");
      expect((await taken)?.key).toBe("a");
      queue.done("a");
    }
    const waiting = [queue.take(abort.signal), queue.take(abort.signal), queue.take()];
    expect(getEventListeners(abort.signal, "abort")).toHaveLength(1);
    abort.abort();
    expect(await Promise.all(waiting.slice(0, 2))).toEqual([undefined, undefined]);
    queue.add("b");
    expect((await waiting[2])?.key).toBe("b");
  });

  it("still hands out keys added at the concurrency cap (T35)", async () => {
    const { clock, queue } = setUp();
    queue.add("a");
    queue.add("b");
    await queue.take();
    await queue.take();
    // Both workers are busy; triggers come in every way.
    queue.add("a");
    queue.addAfter("b", 5);
    await clock.advance(10);
    queue.done("a");
    queue.done("b");
    expect(await drain(queue)).toEqual(["a", "b"]);
    queue.add("a");
    queue.addAfter("b", 5);
    await clock.advance(10);
    expect(await drain(queue)).toEqual(["a", "b"]);
  });
});

describe.each([-3_600_000, 3_600_000])("work queue, when the date is set by %i ms", (by) => {
  const setDate = (options: Partial<Parameters<typeof createWorkQueue>[0]> = {}) => {
    const time = createVirtualClock();
    const clock = withDate(time);
    return { time, clock, queue: createWorkQueue({ clock, random: () => 1, ...options }) };
  };

  it("hands out what was delayed after its delay, and what is added at once", async () => {
    const { time, clock, queue } = setDate();
    const start = time.now();
    const seen: string[] = [];
    const worker = async (): Promise<void> => {
      for (let item = await queue.take(); item !== undefined; item = await queue.take()) {
        seen.push(`${item.key} after ${time.now() - start} ms`);
        queue.done(item.key);
      }
    };
    queue.addAfter("a", 2_000);
    queue.addAfter("b", 5_000);
    clock.set(by);
    queue.addAfter("c", 3_000);
    queue.add("d");
    const working = worker();
    await time.advance(10_000);
    await Promise.all([queue.shutDown(), working]);
    expect(seen).toEqual(["d after 0 ms", "a after 2000 ms", "c after 3000 ms", "b after 5000 ms"]);
  });

  it("keeps the backoff of what fails", async () => {
    const { time, clock, queue } = setDate({ backoff: { base: 1_000 } });
    queue.addRateLimited("a");
    clock.set(by);
    await time.advance(1_000);
    expect(await drain(queue)).toEqual(["a"]);
    expect(queue.addRateLimited("a")).toBe(2_000);
  });

  it("tells how long a key has waited, and lets none age by it", async () => {
    const { time, clock, queue } = setDate({ ageing: { after: 5_000, share: 1 } });
    queue.add("old", { priority: -1 });
    await time.advance(1_000);
    clock.set(by);
    queue.add("new");
    expect(await queue.take()).toMatchObject({ key: "new", waited: 0 });
    expect(await queue.take()).toMatchObject({ key: "old", waited: 1_000 });
    queue.add("aged", { priority: -1 });
    await time.advance(5_000);
    queue.add("newer");
    expect(await queue.take()).toMatchObject({ key: "aged", waited: 5_000 });
  });
});
