// Time in which this process has run. A machine that stands still for seconds, or gives its time to others, does not use up
// what a test allows for something to happen.
import { setTimeout as delay } from "node:timers/promises";

/** How often it is looked at, and the most that one look counts, in milliseconds. */
const interval = 25;
const most = 250;

let awake = 0;
let last = performance.now();

function look(): void {
  const now = performance.now();
  awake += Math.min(now - last, most);
  last = now;
}

setInterval(look, interval).unref();

/** Milliseconds in which this process has run so far, from an arbitrary beginning. */
export function awakeTime(): number {
  look();
  return awake;
}

/** Resolves once this process has run for so many milliseconds. */
export async function stayAwake(milliseconds: number): Promise<void> {
  for (const end = awakeTime() + milliseconds; awakeTime() < end;) await delay(interval);
}
