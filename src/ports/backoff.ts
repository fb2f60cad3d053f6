// How long to wait before something that failed is tried again: the one formula, of which everybody names the numbers. What
// counts as a failure in a row, and what ends the row, is up to the caller.
import type { Random } from "./random.ts";

/** A delay that doubles with each failure in a row. Milliseconds. */
export interface Backoff {
  /** After the first failure. */
  readonly first: number;
  readonly longest: number;
}

/** The part of a delay that is waited, chosen at random between two bounds: `[0.5, 1]` is its upper half. */
export type Jitter = readonly [from: number, to: number];

/** A {@link Backoff} that is drawn at random, so that many that failed together do not come back together. */
export interface JitteredBackoff extends Backoff {
  readonly jitter: Jitter;
}

/** The usual jitter: half of the delay is fixed, half is random. */
export const upperHalf: Jitter = [0.5, 1];

/** Milliseconds to wait after so many failures in a row; fewer than one count as one. A backoff with jitter needs chance. */
export function backoffDelay(backoff: JitteredBackoff, failures: number, random: Random): number;
export function backoffDelay(backoff: Backoff & { readonly jitter?: never }, failures: number): number;
export function backoffDelay(
  { first, longest, jitter }: Backoff & { readonly jitter?: Jitter },
  failures: number,
  random?: Random,
): number {
  const full = Math.min(longest, first * 2 ** Math.max(0, failures - 1));
  return jitter === undefined || random === undefined ? full : jittered(full, jitter, random);
}

/** A delay drawn at random. */
export function jittered(delay: number, [from, to]: Jitter, random: Random): number {
  return delay * (from + (to - from) * random());
}
