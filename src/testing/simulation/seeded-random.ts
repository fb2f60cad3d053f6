// Randomness that is the same in every run, for simulations and soaks.
import type { Random } from "../../ports/random.ts";

/** A generator that gives the same numbers for the same seed (Park and Miller's). */
export function seededRandom(seed: number): Random {
  let state = (Math.abs(Math.trunc(seed)) % 2_147_483_646) + 1;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
