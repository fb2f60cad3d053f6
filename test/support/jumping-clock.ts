// A clock that a test sets forward at will: what is due by then happens at once, and nothing happens before. It stands still
// while the machine does.
import type { Clock, TimerHandle } from "../../src/ports/clock.ts";
import { awakeTime } from "./awake-time.ts";
import { createFastClock } from "./fast-clock.ts";

/** Time in which the machine runs, with jumps. */
export interface JumpingClock extends Clock {
  /** Sets the time forward by so many milliseconds. */
  jump(milliseconds: number): void;
}

interface Pending {
  readonly due: number;
  readonly callback: () => void;
  timer: TimerHandle;
}

/** A clock that has not jumped yet. */
export function createJumpingClock(): JumpingClock {
  let ahead = 0;
  const base = createFastClock(1);
  const waiting = new Set<Pending>();
  const now = (): number => base.now() + ahead;
  const arm = (pending: Omit<Pending, "timer">): TimerHandle =>
    base.setTimeout(pending.callback, Math.max(0, pending.due - now()));
  return {
    now,
    monotonic: () => awakeTime() + ahead,
    setTimeout(call, milliseconds) {
      const callback = (): void => {
        waiting.delete(pending);
        call();
      };
      const due = now() + milliseconds;
      const pending: Pending = { due, callback, timer: arm({ due, callback }) };
      waiting.add(pending);
      return pending;
    },
    clearTimeout(handle) {
      const pending = handle as Pending;
      base.clearTimeout(pending.timer);
      waiting.delete(pending);
    },
    jump(milliseconds) {
      ahead += milliseconds;
      for (const pending of waiting) {
        base.clearTimeout(pending.timer);
        pending.timer = arm(pending);
      }
    },
  };
}
