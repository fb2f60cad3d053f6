import { describe, expect, it } from "vitest";
import { formatAge, formatAgeOf } from "../../../../src/cluster/api/representation/age.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

describe("age", () => {
  it.each([
    [0, "0s"],
    [-500, "0s"],
    [-10 * second, "<invalid>"],
    [119 * second, "119s"],
    [2 * minute, "2m"],
    [3 * minute + 20 * second, "3m20s"],
    [10 * minute + 20 * second, "10m"],
    [179 * minute, "179m"],
    [3 * hour + 5 * minute, "3h5m"],
    [8 * hour + 5 * minute, "8h"],
    [2 * day + 3 * hour, "2d3h"],
    [8 * day + 3 * hour, "8d"],
    [700 * day, "700d"],
    [3 * 365 * day + day, "3y1d"],
  ])("prints %i ms as %s", (milliseconds, text) => {
    expect(formatAge(milliseconds)).toBe(text);
  });

  it("says so when the time is unknown", () => {
    expect(formatAgeOf(undefined, 0)).toBe("<unknown>");
    expect(formatAgeOf("yesterday", 0)).toBe("<unknown>");
  });
});
