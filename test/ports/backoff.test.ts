import { assert, double, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { backoffDelay, jittered, upperHalf } from "../../src/ports/backoff.ts";

describe("a backoff", () => {
  it("doubles with each failure in a row, up to the longest delay", () => {
    const backoff = { first: 100, longest: 1_000 };
    const delays = [0, 1, 2, 3, 4, 5, 6, 2_000].map((failures) => backoffDelay(backoff, failures));
    expect(delays).toEqual([100, 100, 200, 400, 800, 1_000, 1_000, 1_000]);
    expect(backoffDelay({ first: 100, longest: 50 }, 1)).toBe(50);
  });

  it("with jitter is drawn between its bounds, all of them", () => {
    const backoff = { first: 100, longest: 1_000, jitter: upperHalf };
    expect([0, 0.5, 1].map((chance) => backoffDelay(backoff, 2, () => chance))).toEqual([100, 150, 200]);
    expect([0, 0.5, 1].map((chance) => backoffDelay(backoff, 9, () => chance))).toEqual([500, 750, 1_000]);
    expect([0, 1].map((chance) => Math.round(jittered(1_000, [0.9, 1.1], () => chance)))).toEqual([
      900, 1_100,
    ]);
  });

  it("is never longer than the longest, and never shorter the more has failed", () => {
    assert(
      property(
        integer({ min: 1, max: 100_000 }),
        integer({ min: 1, max: 1_000_000 }),
        integer({ min: 0, max: 5_000 }),
        double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (first, longest, failures, chance) => {
          const backoff = { first, longest, jitter: upperHalf };
          const [one, next] = [failures, failures + 1].map((each) =>
            backoffDelay(backoff, each, () => chance),
          );
          expect(one).toBeLessThanOrEqual(longest);
          expect(next).toBeGreaterThanOrEqual(one as number);
        },
      ),
    );
  });
});
