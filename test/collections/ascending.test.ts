import { array, assert, constantFrom, oneof, property, string } from "fast-check";
import { expect, it } from "vitest";
import { ascending, isAscending } from "../../src/collections/ascending.ts";

it("puts names into the order of a sort, few and many, and says whether they are in it", () => {
  const names = array(oneof(string({ unit: "binary" }), constantFrom("", "a", "B", "10", "9")), {
    maxLength: 40,
  });
  assert(
    property(names, (given) => {
      const sorted = given.toSorted();
      expect(isAscending(given)).toBe(given.every((name, at) => name === sorted[at]));
      expect(ascending(given)).toBe(given);
      expect(given).toEqual(sorted);
    }),
  );
});
