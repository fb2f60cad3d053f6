// Random interleavings of everything one can do with the queue, on a virtual clock, against a model that knows only
// when each key is owed at the earliest.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createWorkQueue } from "../../src/queue/keyed-work-queue.ts";
import type { WorkItem } from "../../src/queue/work-queue.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";

const key = fc.constantFrom("x/a", "x/b", "y/a", "z/a");
const priority = fc.constantFrom(-100, 0, 10);
const step = fc.oneof(
  fc.record({ do: fc.constant("add" as const), key, priority }),
  fc.record({ do: fc.constant("addAfter" as const), key, priority, delay: fc.integer({ min: 0, max: 50 }) }),
  fc.record({ do: fc.constant("addRateLimited" as const), key }),
  fc.record({ do: fc.constant("forget" as const), key }),
  fc.record({ do: fc.constant("take" as const) }),
  fc.record({ do: fc.constant("done" as const) }),
  fc.record({ do: fc.constant("advance" as const), by: fc.integer({ min: 1, max: 40 }) }),
);

describe("work queue under random interleavings", () => {
  it("never hands out a key twice at once, loses nothing, and keeps to the earliest instant", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120, size: "max" }), async (steps) => {
        const clock = createVirtualClock(0);
        const queue = createWorkQueue({
          clock,
          random: () => 0.5,
          groupOf: (each) => each.slice(0, 1),
          ageing: { after: 20, share: 2 },
        });
        const owed = new Map<string, number>();
        const processing: string[] = [];
        const owe = (each: string, at: number) => owed.set(each, Math.min(at, owed.get(each) ?? Infinity));
        const received = (item: WorkItem) => {
          expect(processing).not.toContain(item.key);
          const due = owed.get(item.key);
          expect(due).toBeDefined();
          expect(due).toBeLessThanOrEqual(clock.now());
          owed.delete(item.key);
          processing.push(item.key);
        };
        const abort = new AbortController();

        for (const each of steps) {
          switch (each.do) {
            case "add":
              owe(each.key, clock.now());
              queue.add(each.key, { priority: each.priority });
              break;
            case "addAfter":
              owe(each.key, clock.now() + each.delay);
              queue.addAfter(each.key, each.delay, { priority: each.priority });
              break;
            case "addRateLimited":
              owe(each.key, clock.now() + queue.addRateLimited(each.key));
              break;
            case "forget":
              queue.forget(each.key);
              break;
            case "take":
              void queue.take(abort.signal).then((item) => item && received(item));
              break;
            case "done":
              queue.done(processing.shift() ?? "none");
              break;
            case "advance":
              await clock.advance(each.by);
              break;
          }
          await clock.settle();
          const due = [...owed].filter(([name, at]) => at <= clock.now() && !processing.includes(name));
          expect(queue.depth).toBe(due.length);
          expect(queue.processing).toBe(processing.length);
          expect(clock.pendingTimers).toBeLessThanOrEqual(1);
        }

        // Everything owed comes, within the longest delay there is.
        abort.abort();
        for (let turn = 0; owed.size > 0 && turn < 1_000; turn += 1) {
          while (processing.length > 0) queue.done(processing.shift() ?? "");
          await clock.advance(1_000);
          while (queue.depth > 0) {
            const item = await queue.take();
            if (item !== undefined) received(item);
          }
        }
        expect(owed.size).toBe(0);
        while (processing.length > 0) queue.done(processing.shift() ?? "");
        await queue.shutDown();
        expect(clock.pendingTimers).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  it("leaves no taker, no timer and no key behind when it is shut down at any instant", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const clock = createVirtualClock(0);
        const queue = createWorkQueue({ clock });
        const taken: string[] = [];
        const takers: Promise<void>[] = [];
        for (const each of steps) {
          if (each.do === "add") queue.add(each.key);
          if (each.do === "addAfter") queue.addAfter(each.key, each.delay);
          if (each.do === "addRateLimited") queue.addRateLimited(each.key);
          if (each.do === "take")
            takers.push(queue.take().then((item) => void (item && taken.push(item.key))));
          if (each.do === "advance") await clock.advance(each.by);
        }
        const shutDown = queue.shutDown();
        await Promise.all(takers);
        for (const each of taken) queue.done(each);
        await shutDown;
        expect(queue.depth + queue.delayed + queue.processing).toBe(0);
        expect(clock.pendingTimers).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});
