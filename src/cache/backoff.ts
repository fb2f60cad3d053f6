// How long the list-watch waits after failures in a row. Pure.
import type { Random } from "../ports/random.ts";

const shortest = 800;
const longest = 30_000;

/**
 * Milliseconds to wait after so many failures in a row: doubling from 800 ms to 30 s, the upper half of it at random so
 * that many watches that were cut together do not come back together; at least what the server asked for.
 */
export function backoffDelay(failures: number, retryAfter: number, random: Random): number {
  const full = Math.min(longest, shortest * 2 ** Math.max(0, failures - 1));
  return Math.max(retryAfter, full / 2 + (full / 2) * random());
}
