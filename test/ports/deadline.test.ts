import { constantFrom, integer, asyncProperty, assert, record, option } from "fast-check";
import { describe, expect, it } from "vitest";
import { Ending, limitedSignal, Silence, untilAborted, withinLimits } from "../../src/ports/deadline.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";

/** A controller whose signal counts who listens to it. */
function countedAbort(): { readonly abort: AbortController; readonly listeners: () => number } {
  const abort = new AbortController();
  const listeners = new Set<unknown>();
  const { signal } = abort;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners.add(args[1]);
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners.delete(args[1]);
    remove(...args);
  };
  return { abort, listeners: () => listeners.size };
}

const never = new Promise<never>(() => undefined);
const late = (): Error => new Error("late");

describe("an ending", () => {
  it("is heard of once by each who listens then, with its reason, and has a signal whenever it is asked for", () => {
    const [ending, reason] = [new Ending(), new Error("stopped")];
    const heard: unknown[] = [];
    const hear = (each: unknown): number => heard.push(each);
    const left = (): never => expect.unreachable();
    ending.listen(hear);
    ending.listen(left);
    ending.unlisten(left);
    const { signal } = ending;
    expect([ending.over, signal.aborted]).toEqual([undefined, false]);
    ending.end(reason);
    ending.end(new Error("later"));
    expect([heard, ending.over, signal.reason, ending.signal.reason]).toEqual([
      [reason],
      { reason },
      reason,
      reason,
    ]);
    const late = new Ending();
    late.end(reason);
    expect(late.signal.reason).toBe(reason);
  });

  it("ends a limited signal, before or after that is made, which lets go of it", () => {
    const clock = createVirtualClock();
    const ending = new Ending();
    const [limited, released] = [1, 2].map(() => limitedSignal({ clock, until: ending, timeout: 10, late }));
    released?.release();
    let heard: unknown;
    limited?.whenOver((reason) => (heard = reason));
    ending.end("over");
    expect([heard, limited?.over, limited?.signal.reason]).toEqual(["over", { reason: "over" }, "over"]);
    expect([released?.over, clock.pendingTimers]).toEqual([undefined, 0]);
    expect(limitedSignal({ clock, until: ending, timeout: 10, late }).over).toEqual({ reason: "over" });
    expect(clock.pendingTimers).toBe(0);
  });
});

describe("work within limits", () => {
  it("is not begun when the signal is aborted already", async () => {
    const clock = createVirtualClock();
    let begun = false;
    const signals = [undefined, AbortSignal.abort(new Error("stopped"))];
    const work = withinLimits({ clock, signals, timeout: 10, late }, () => (begun = true));
    await expect(work).rejects.toThrow("stopped");
    expect([begun, clock.pendingTimers]).toEqual([false, 0]);
  });

  it("is given up, and told so, when a signal is aborted", async () => {
    const clock = createVirtualClock();
    const [outer, other] = [countedAbort(), countedAbort()];
    let given: AbortSignal | undefined;
    const signals = [outer.abort.signal, other.abort.signal];
    const work = expect(
      withinLimits({ clock, signals, timeout: 10, late }, (signal) => {
        given = signal;
        return never;
      }),
    ).rejects.toThrow("stopped");
    expect(given?.aborted).toBe(false);
    other.abort.abort(new Error("stopped"));
    await work;
    expect(given?.reason).toEqual(new Error("stopped"));
    expect([outer.listeners(), other.listeners(), clock.pendingTimers]).toEqual([0, 0, 0]);
  });

  it("is given up, and told so, when the time is over by the clock that was passed in", async () => {
    const clock = createVirtualClock();
    const { abort, listeners } = countedAbort();
    let given: AbortSignal | undefined;
    let made = 0;
    const work = expect(
      withinLimits(
        { clock, signals: [abort.signal], timeout: 10, late: () => new Error(`late ${(made += 1)}`) },
        (signal) => {
          given = signal;
          return never;
        },
      ),
    ).rejects.toThrow("late 1");
    await clock.advance(9);
    expect(given?.aborted).toBe(false);
    await clock.advance(1);
    await work;
    abort.abort();
    expect(given?.reason).toEqual(new Error("late 1"));
    expect([listeners(), made]).toEqual([0, 1]);
  });

  it.each([
    ["returns", () => 5],
    ["resolves", () => Promise.resolve(5)],
  ])("that %s leaves neither timer nor listener, and its signal alone", async (_how, act) => {
    const clock = createVirtualClock();
    const { abort, listeners } = countedAbort();
    let given: AbortSignal | undefined;
    const limits = { clock, signals: [abort.signal], timeout: 10, late };
    const work = (signal: AbortSignal): number | Promise<number> => {
      given = signal;
      return act();
    };
    expect(await withinLimits(limits, work)).toBe(5);
    expect([listeners(), clock.pendingTimers]).toEqual([0, 0]);
    abort.abort();
    expect(given?.aborted).toBe(false);
  });

  it("that throws at once rejects, and leaves nothing", async () => {
    const clock = createVirtualClock();
    const work = withinLimits({ clock, timeout: 10, late }, () => {
      throw new Error("no");
    });
    await expect(work).rejects.toThrow("no");
    expect(clock.pendingTimers).toBe(0);
  });

  it("has the outcome of what comes first; what comes later is not heard, and nothing is left", async () => {
    const heard: unknown[] = [];
    const onUnhandled = (reason: unknown): void => void heard.push(reason);
    process.on("unhandledRejection", onUnhandled);
    const instant = option(integer({ min: 0, max: 20 }), { nil: undefined });
    await assert(
      asyncProperty(
        record({
          done: integer({ min: 0, max: 20 }),
          aborted: instant,
          timeout: instant,
          how: constantFrom("resolve", "reject"),
        }),
        async ({ done, aborted, timeout, how }) => {
          const clock = createVirtualClock();
          const { abort, listeners } = countedAbort();
          if (aborted !== undefined) clock.setTimeout(() => abort.abort("aborted"), aborted);
          const outcome = withinLimits(
            { clock, signals: [abort.signal], timeout, late: () => "late" },
            () =>
              new Promise((resolve, reject) => {
                clock.setTimeout(
                  () => (how === "resolve" ? resolve("done") : reject(new Error("failed"))),
                  done,
                );
              }),
          ).catch((error: unknown) => (error instanceof Error ? error.message : error));
          await clock.advance(20);
          const ends: readonly (readonly [number, string])[] = [
            [done, how === "resolve" ? "done" : "failed"],
            [aborted ?? Infinity, "aborted"],
            [timeout ?? Infinity, "late"],
          ];
          const first = Math.min(...ends.map(([at]) => at));
          expect(ends.filter(([at]) => at === first).map(([, what]) => what)).toContain(await outcome);
          expect([listeners(), clock.pendingTimers]).toEqual([0, 0]);
        },
      ),
      { numRuns: 300 },
    );
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", onUnhandled);
    expect(heard).toEqual([]);
  });
});

describe("a limited signal", () => {
  it("that was aborted before arms no timer, and listens to nothing", () => {
    const clock = createVirtualClock();
    const { abort, listeners } = countedAbort();
    const signals = [abort.signal, AbortSignal.abort("first")];
    const { signal } = limitedSignal({ clock, signals, timeout: 10, late });
    expect([signal.reason, listeners(), clock.pendingTimers]).toEqual(["first", 0, 0]);
  });

  it("keeps following others once its time limit was taken off, until it is released", async () => {
    const clock = createVirtualClock();
    const { abort, listeners } = countedAbort();
    const limited = limitedSignal({ clock, signals: [abort.signal], timeout: 10, late });
    limited.lift();
    await clock.advance(20);
    expect(limited.signal.aborted).toBe(false);
    abort.abort("later");
    expect([limited.signal.reason, listeners()]).toEqual(["later", 0]);
    const other = limitedSignal({ clock, signals: [new AbortController().signal], timeout: 10, late });
    other.release();
    other.release();
    await clock.advance(20);
    expect([other.signal.aborted, clock.pendingTimers]).toEqual([false, 0]);
  });

  it("says that it is over to who asked last, once, and to who asks later at once", async () => {
    const clock = createVirtualClock();
    const { abort, listeners } = countedAbort();
    const limited = limitedSignal({ clock, signals: [abort.signal], timeout: 10, late: () => "late" });
    const heard: unknown[] = [];
    limited.whenOver((reason) => heard.push("former", reason));
    limited.whenOver((reason) => heard.push(reason));
    expect(limited.over).toBeUndefined();
    await clock.advance(10);
    abort.abort("later");
    limited.end("later still");
    limited.whenOver((reason) => heard.push("after it", reason));
    expect(heard).toEqual(["late", "after it", "late"]);
    expect([limited.over?.reason, limited.signal.reason, listeners()]).toEqual(["late", "late", 0]);
    const other = limitedSignal({ clock, signals: [abort.signal] });
    other.whenOver(undefined);
    expect(other.over).toEqual({ reason: "later" });
  });
});

describe("what is waited for until a signal is aborted", () => {
  it("has its outcome; rejects with the signal's reason, or what is made of it, when that comes first", async () => {
    const { abort, listeners } = countedAbort();
    expect(await untilAborted(Promise.resolve(5), abort.signal)).toBe(5);
    await expect(untilAborted(Promise.reject(new Error("no")), abort.signal)).rejects.toThrow("no");
    await Promise.resolve();
    expect(listeners()).toBe(0);
    const waiting = expect(untilAborted(never, abort.signal)).rejects.toThrow("stopped");
    abort.abort(new Error("stopped"));
    await waiting;
    await expect(untilAborted(never, abort.signal)).rejects.toThrow("stopped");
    const made = untilAborted(never, abort.signal, ({ reason }) => new Error(`cut off: ${String(reason)}`));
    await expect(made).rejects.toThrow("cut off: Error: stopped");
  });
});

describe("silence", () => {
  it("is noticed after exactly so long, with one timer however much was heard", async () => {
    const clock = createVirtualClock();
    let noticed = 0;
    const silence = new Silence(clock, 1_000, () => (noticed += 1));
    for (let time = 0; time < 3_500; time += 100) {
      silence.heard();
      expect(clock.pendingTimers).toBe(1);
      await clock.advance(100);
    }
    await clock.advance(899);
    expect(noticed).toBe(0);
    await clock.advance(1);
    expect(noticed).toBe(1);
    await clock.advance(10_000);
    expect([noticed, clock.pendingTimers]).toEqual([1, 0]);
    silence.end();
  });

  it("is none while nobody listens, nor after its end", async () => {
    const clock = createVirtualClock();
    let noticed = 0;
    const silence = new Silence(clock, 1_000, () => (noticed += 1));
    silence.ignore();
    await clock.advance(5_000);
    silence.heard();
    await clock.advance(999);
    expect(noticed).toBe(0);
    silence.end();
    await clock.advance(5_000);
    expect([noticed, clock.pendingTimers]).toEqual([0, 0]);
  });
});
