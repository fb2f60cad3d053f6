// Delays that runs ask for themselves. Looking again at once is for a next step; a key that asks for it again and again would
// never let go of a worker, so it is made to wait, ever longer.

import { backoffDelay, type Backoff } from "../../ports/backoff.ts";

/** Milliseconds; what is shorter counts as at once. */
const atOnce = 10;
/** What a key is made to wait that has no more patience to use up. */
const slowDown: Backoff = { first: atOnce, longest: 1_000 };
/** Times in a row that a key may ask for it. */
const patience = 20;

/** How often in a row keys have asked for a requeue at once. */
export class AskedDelays {
  readonly #times = new Map<string, number>();

  /** The delay of a key that has asked for this one; `undefined`: it asked for none. */
  of(key: string, asked: number | undefined): number | undefined {
    if (asked === undefined || asked >= atOnce) {
      this.#times.delete(key);
      return asked;
    }
    const times = (this.#times.get(key) ?? 0) + 1;
    this.#times.set(key, times);
    return times <= patience ? asked : backoffDelay(slowDown, times - patience);
  }
}
