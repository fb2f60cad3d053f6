// A clock that runs faster than the wall's: what takes minutes is tested in seconds, with every ratio as it is.
import type { Clock } from "../../src/ports/clock.ts";

/** A clock on which `factor` seconds pass in each second. */
export function createFastClock(factor: number): Clock {
  const start = Date.now();
  return {
    now: () => start + (Date.now() - start) * factor,
    setTimeout: (callback, milliseconds) =>
      setTimeout(callback, Math.min(milliseconds / factor, 2 ** 31 - 1)),
    clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
  };
}
