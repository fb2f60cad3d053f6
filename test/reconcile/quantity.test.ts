import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSameQuantity, toNanos } from "../../src/reconcile/comparison/server-forms.ts";

describe("quantity", () => {
  it.each([
    ["1", "1000m"],
    ["0.5", "500m"],
    [".5", "500m"],
    ["1Gi", "1024Mi"],
    ["1.5Gi", "1536Mi"],
    ["1e3", "1k"],
    ["1E3", "1000"],
    ["1E", "1e18"],
    ["-1", "-1000m"],
    ["1k", "1000"],
    [2, "2"],
    ["0.1n", "1n"],
  ])("takes %s and %s for the same", (left, right) => {
    expect(isSameQuantity(left, right)).toBe(true);
  });

  it.each([
    ["1", "2"],
    ["1M", "1Mi"],
    ["1m", "1M"],
    ["", ""],
    ["x", "x"],
    ["1x", "1x"],
    [".", "."],
    [true, true],
    [undefined, undefined],
  ])("does not take %s and %s for the same quantity", (left, right) => {
    expect(isSameQuantity(left, right)).toBe(false);
  });

  it("takes any number of thousandths for the same as its whole", () => {
    fc.assert(
      fc.property(fc.nat(), (amount) => {
        expect(toNanos(`${amount}`)).toBe(toNanos(`${amount}000m`));
      }),
    );
  });
});
