// A clock that runs faster than the wall's: what takes minutes is tested in seconds, with every ratio as it is. It stands
// still while the machine does, which would count many times otherwise.
import type { Clock } from "../../src/ports/clock.ts";
import { awakeTime } from "./awake-time.ts";

interface FastTimer {
  current: NodeJS.Timeout;
}

/** A clock on which `factor` seconds pass in each second. */
export function createFastClock(factor: number): Clock {
  const [start, begun] = [Date.now(), awakeTime()];
  const now = (): number => start + Math.floor((awakeTime() - begun) * factor);
  return {
    now,
    setTimeout(callback, milliseconds) {
      const due = now() + milliseconds;
      const arm = (): NodeJS.Timeout =>
        setTimeout(
          () => {
            if (now() >= due) callback();
            else timer.current = arm();
          },
          Math.min(Math.max(0, due - now()) / factor, 2 ** 31 - 1),
        );
      const timer: FastTimer = { current: arm() };
      return timer;
    },
    clearTimeout: (handle) => clearTimeout((handle as FastTimer).current),
  };
}
