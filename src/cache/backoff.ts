// How long the list-watch waits after failures in a row. Pure.
import { backoffDelay as delayAfter, upperHalf, type JitteredBackoff } from "../ports/backoff.ts";
import type { Random } from "../ports/random.ts";

const listWatch: JitteredBackoff = { first: 800, longest: 30_000, jitter: upperHalf };

/** Milliseconds to wait after so many failures in a row, and at least what the server asked for. */
export function backoffDelay(failures: number, retryAfter: number, random: Random): number {
  return Math.max(retryAfter, delayAfter(listWatch, failures, random));
}
