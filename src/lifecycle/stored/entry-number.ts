// The number of the last move. Keys of tasks are made from it, so it must never run twice through the same numbers, not
// even after a status was deleted or edited: then an old task would be taken for the new one. Read by settle.
import type { RestoredLifecycle } from "./restore.ts";

/** More moves than a life can make in a second, over its whole length. */
const movesPerSecond = 10;

/**
 * The number to count on from. A stored one is believed when everything stored is whole; otherwise it is at least what the
 * age of the resource makes impossible to have been reached. `created` and `now`: milliseconds since the epoch.
 */
export function lastEntry(
  { origin, entry, problems }: Pick<RestoredLifecycle, "origin" | "entry" | "problems">,
  created: number | undefined,
  now: number,
): number {
  const whole = (origin === "snapshot" || origin === "migrated") && problems.length === 0;
  const age = (now - (created ?? Number.NaN)) / 1000;
  return whole || !Number.isFinite(age) ? entry : Math.max(entry, Math.floor(age) * movesPerSecond);
}
