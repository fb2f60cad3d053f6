// The weather in which processes live that contend for Leases: what differs between their machines, and what becomes of
// their requests. A function of its seed.
import { array, integer, nat, record, type Arbitrary } from "fast-check";
import type { Fate } from "./wire.ts";

/** What a machine's clock does. */
export interface Machine {
  /** Parts of a thousand that it is too fast. */
  readonly skew: number;
  /** Seconds that its date is off. */
  readonly offset: number;
}

/** Of a hundred requests: how many are refused, lost, or slow. */
export interface Trouble {
  readonly refused: number;
  readonly lost: number;
  readonly slow: number;
}

/** Two machines or more. */
export function machines(most: number): Arbitrary<Machine[]> {
  return array(
    record({ skew: integer({ min: -40, max: 40 }), offset: integer({ min: -100_000, max: 100_000 }) }),
    { minLength: 2, maxLength: most },
  );
}

/** Trouble of which at most so many of a hundred requests are refused, and as many lost. */
export function troubles(most: number): Arbitrary<Trouble> {
  return record({ refused: nat(most), lost: nat(most), slow: nat(60) });
}

/** What becomes of a request; a slow one takes up to `longest` milliseconds each way. */
export function fateIn(trouble: Trouble, random: () => number, longest: number): Fate {
  const dice = random() * 100;
  const most = random() * 100 < trouble.slow ? longest : 50;
  const delays = { requestDelay: random() * most, answerDelay: random() * most };
  if (dice < trouble.refused) return { ...delays, status: random() < 0.5 ? 500 : 429 };
  if (dice < trouble.refused + trouble.lost) {
    return { ...delays, lost: random() < 0.5 ? "request" : "answer" };
  }
  return delays;
}

/** A generator of our own, so that a run is a function of its seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
