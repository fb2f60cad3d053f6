import { describe, expect, it } from "vitest";
import { gain, growth, median } from "./steadiness.ts";

describe("steadiness", () => {
  it("takes the middle measure by size, whatever a peak does", () => {
    expect(median([3, 1, 900])).toBe(3);
    expect(median([])).toBeNaN();
  });

  it("compares the last quarter with the second, so that a start does not count", () => {
    expect(growth([1, 1, 10, 10, 10, 10, 11, 11])).toBeCloseTo(1.1);
    expect(growth([1, 1, 10, 10, 15, 15, 20, 20])).toBe(2);
    expect(growth([])).toBeNaN();
    expect(gain([1, 1, 10, 10, 15, 15, 20, 20])).toBe(10);
    expect(gain([])).toBeNaN();
  });
});
