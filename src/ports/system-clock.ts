// The real clock: the one place that reads the system's time.
import type { Clock, TimerHandle } from "./clock.ts";

/** Node fires a longer delay at once: https://nodejs.org/api/timers.html#settimeoutcallback-delay-args */
const longestDelay = 2 ** 31 - 1;

interface SystemTimer {
  current: NodeJS.Timeout;
}

/** The system's time and timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(callback, milliseconds): TimerHandle {
    if (milliseconds <= longestDelay) return { current: setTimeout(callback, Math.max(0, milliseconds)) };
    const due = performance.now() + milliseconds;
    const arm = (): NodeJS.Timeout => {
      const rest = due - performance.now();
      return rest > longestDelay
        ? setTimeout(() => (timer.current = arm()), longestDelay)
        : setTimeout(callback, Math.max(0, rest));
    };
    const timer: SystemTimer = { current: arm() };
    return timer;
  },
  clearTimeout(handle): void {
    clearTimeout((handle as SystemTimer).current);
  },
  yield: () => new Promise((resolve) => setImmediate(resolve)),
};
