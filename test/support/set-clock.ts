// A virtual clock whose date can be set, as an administrator or NTP does it: timers and the monotonic time go on as they were.
import type { Clock } from "../../src/ports/clock.ts";
import type { VirtualClock } from "../../src/testing/virtual-clock.ts";

/** A clock with a date of its own. */
export interface SetClock extends Clock {
  /** Sets the date forward, or back, by so many milliseconds. */
  set(by: number): void;
}

/** The time of a virtual clock, with a date that can be set. */
export function withDate(time: VirtualClock): SetClock {
  let ahead = 0;
  return {
    now: () => time.now() + ahead,
    monotonic: () => time.now(),
    setTimeout: (callback, milliseconds) => time.setTimeout(callback, milliseconds),
    clearTimeout: (handle) => time.clearTimeout(handle),
    set(by) {
      ahead += by;
    },
  };
}
