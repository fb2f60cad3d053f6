// The clock of one simulated machine: its own speed and date over a shared true time, and it can be suspended.
import type { Clock, TimerHandle } from "../../src/ports/clock.ts";

/** A machine's clock; see {@link createLocalClock}. */
export interface LocalClock extends Clock {
  /** Until it is called as often with `false`, timers that fall due do not fire; time goes on. */
  suspend(suspended: boolean): void;
  /** Sets the date, as NTP or an administrator does. */
  step(milliseconds: number): void;
  /** Runs now, or when the machine is awake again. */
  whenAwake(callback: () => void): void;
}

/** A clock that runs `speed` times as fast as the true one, and whose date is `offset` milliseconds off. */
export function createLocalClock(truth: Clock, speed = 1, offset = 0): LocalClock {
  const start = truth.now();
  let date = offset;
  let suspensions = 0;
  const late: (() => void)[] = [];
  const monotonic = (): number => (truth.now() - start) * speed;
  const timers = new Map<object, TimerHandle>();
  const clock: LocalClock = {
    monotonic,
    now: () => start + monotonic() + date,
    setTimeout(callback, milliseconds) {
      const handle = {};
      const fire = (): void =>
        clock.whenAwake(() => {
          if (timers.delete(handle)) callback();
        });
      timers.set(handle, truth.setTimeout(fire, Math.max(0, milliseconds) / speed));
      return handle;
    },
    clearTimeout(handle) {
      const timer = timers.get(handle);
      if (timer !== undefined) truth.clearTimeout(timer);
      timers.delete(handle);
    },
    suspend(value) {
      suspensions += value ? 1 : -1;
      if (suspensions === 0) for (const callback of late.splice(0)) callback();
    },
    step(milliseconds) {
      date += milliseconds;
    },
    whenAwake(callback) {
      if (suspensions > 0) late.push(callback);
      else callback();
    },
  };
  return clock;
}
