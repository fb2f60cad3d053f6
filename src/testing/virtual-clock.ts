// A clock that stands still until it is advanced: tests and simulations drive time, nothing ever waits for it.
// Given to the code under test through the Clock port; moved by the test.
import type { Clock, TimerHandle } from "../ports/clock.ts";

/** A {@link Clock} whose time moves only by its own methods. */
export interface VirtualClock extends Clock {
  /**
   * Moves time forward by `milliseconds` (0 allowed), firing every timer that falls due in order of its instant, then of
   * its creation. Before the first and after each timer, everything that was only waiting for promises is let run.
   *
   * **Errors**: rejects with what a timer's callback throws; time then stands at that timer's instant.
   */
  advance(milliseconds: number): Promise<void>;
  /**
   * Moves from timer to timer until the condition holds, at most `limit` milliseconds (default one hour).
   * True when it holds; false when the limit is reached (time then stands there).
   */
  advanceUntil(condition: () => boolean, limit?: number): Promise<boolean>;
  /**
   * Moves time forward at once, as it passes for a machine that slept: every timer that fell due fires once, late, at the
   * new instant; then those that are due again at once.
   */
  jump(milliseconds: number): Promise<void>;
  /** Lets everything that only waits for promises run, without moving time. */
  settle(): Promise<void>;
  /** Armed timers: 0 means that nothing is left behind. */
  readonly pendingTimers: number;
  /** The instant of the earliest armed timer, in milliseconds since the epoch. */
  readonly nextTimer: number | undefined;
}

interface VirtualTimer {
  readonly due: number;
  readonly callback: () => void;
}

/** 2026-01-01T00:00:00Z: a plausible date, so that timestamps made from it look like timestamps. */
const defaultStart = Date.UTC(2026, 0, 1);

/** Long enough for any backoff of ours, short enough to end a test that waits for nothing. */
const defaultLimit = 3_600_000;

/**
 * A clock for tests, standing at `start` (milliseconds since the epoch; default 2026-01-01T00:00:00Z).
 *
 * **Caveats**: only promises and immediate callbacks are let run between timers; real sockets and files are not waited
 * for. Call one of the moving methods at a time.
 *
 * @example
 * const clock = createVirtualClock();
 * const nap = sleep(clock, 60_000);
 * await clock.advance(60_000);
 * await nap;
 */
export function createVirtualClock(start: number = defaultStart): VirtualClock {
  // Whole, as every clock of a machine is; a timer that falls between two milliseconds fires at the later one.
  let now = Math.round(start);
  // In order of creation, which breaks the tie between timers of one instant.
  const timers = new Set<VirtualTimer>();

  function earliest(): VirtualTimer | undefined {
    let found: VirtualTimer | undefined;
    for (const timer of timers) if (found === undefined || timer.due < found.due) found = timer;
    return found;
  }

  /** Fires the earliest timer if it is due by `end`. */
  function fireNext(end: number): boolean {
    const timer = earliest();
    if (timer === undefined || timer.due > end) return false;
    timers.delete(timer);
    now = Math.max(now, timer.due);
    timer.callback();
    return true;
  }

  const clock: VirtualClock = {
    now: () => now,
    setTimeout(callback, milliseconds): TimerHandle {
      const timer: VirtualTimer = { due: Math.ceil(now + Math.max(0, milliseconds)), callback };
      timers.add(timer);
      return timer;
    },
    clearTimeout(handle): void {
      timers.delete(handle as VirtualTimer);
    },
    async advance(milliseconds): Promise<void> {
      const end = Math.round(now + milliseconds);
      await clock.settle();
      while (fireNext(end)) await clock.settle();
      now = end;
      await clock.settle();
    },
    async advanceUntil(condition, limit = defaultLimit): Promise<boolean> {
      const end = Math.round(now + limit);
      await clock.settle();
      while (!condition()) {
        if (!fireNext(end)) {
          now = end;
          await clock.settle();
          return condition();
        }
        await clock.settle();
      }
      return true;
    },
    async jump(milliseconds): Promise<void> {
      await clock.settle();
      now = Math.round(now + milliseconds);
      await clock.advance(0);
    },
    // An immediate runs after every promise reaction that is ready, and after those they make ready.
    settle: () => new Promise((resolve) => setImmediate(resolve)),
    get pendingTimers() {
      return timers.size;
    },
    get nextTimer() {
      return earliest()?.due;
    },
  };
  return clock;
}
