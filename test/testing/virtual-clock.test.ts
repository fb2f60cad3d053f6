import { describe, expect, it } from "vitest";
import { sleep } from "../../src/ports/clock.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";

describe("virtual clock", () => {
  it("stands still until it is told to move", async () => {
    const clock = createVirtualClock(1_000);
    let fired = false;
    clock.setTimeout(() => (fired = true), 1);
    await clock.settle();
    expect(clock.now()).toBe(1_000);
    expect(fired).toBe(false);
    expect(clock.nextTimer).toBe(1_001);
  });

  it("fires timers in order of instant, then of creation, each at its own instant", async () => {
    const clock = createVirtualClock(0);
    const seen: string[] = [];
    const note = (name: string) => () => void seen.push(`${name}@${clock.now()}`);
    clock.setTimeout(note("late"), 30);
    clock.setTimeout(note("first"), 10);
    clock.setTimeout(note("second"), 10);
    await clock.advance(20);
    expect(seen).toEqual(["first@10", "second@10"]);
    expect(clock.now()).toBe(20);
    expect(clock.pendingTimers).toBe(1);
  });

  it("lets promise chains run between timers, and fires the timers they arm", async () => {
    const clock = createVirtualClock(0);
    const seen: number[] = [];
    const loop = (async () => {
      for (let turn = 0; turn < 3; turn += 1) {
        await sleep(clock, 100);
        await Promise.resolve();
        seen.push(clock.now());
      }
    })();
    await clock.advance(300);
    await loop;
    expect(seen).toEqual([100, 200, 300]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("does not fire a cancelled timer", async () => {
    const clock = createVirtualClock();
    let fired = false;
    clock.clearTimeout(clock.setTimeout(() => (fired = true), 5));
    await clock.advance(10);
    expect(fired).toBe(false);
  });

  it("honours a delay above 2^31 ms", async () => {
    const clock = createVirtualClock(0);
    let fired = false;
    clock.setTimeout(() => (fired = true), 2 ** 32);
    await clock.advance(2 ** 32 - 1);
    expect(fired).toBe(false);
    await clock.advance(1);
    expect(fired).toBe(true);
  });

  it("moves only as far as the condition needs", async () => {
    const clock = createVirtualClock(0);
    let count = 0;
    const tick = (): void => {
      count += 1;
      clock.setTimeout(tick, 10);
    };
    clock.setTimeout(tick, 10);
    expect(await clock.advanceUntil(() => count === 3)).toBe(true);
    expect(clock.now()).toBe(30);
  });

  it("says when the condition did not come true within the limit", async () => {
    const clock = createVirtualClock(0);
    expect(await clock.advanceUntil(() => false, 500)).toBe(false);
    expect(clock.now()).toBe(500);
  });

  it("rejects with what a timer throws", async () => {
    const clock = createVirtualClock(0);
    clock.setTimeout(() => {
      throw new Error("boom");
    }, 5);
    await expect(clock.advance(10)).rejects.toThrow("boom");
    expect(clock.now()).toBe(5);
  });
});
