import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placesOf, replaceSpans } from "../../src/collections/text-spans.ts";

describe("parts of a text", () => {
  it("are found wherever they are, also where they overlap", () => {
    expect([...placesOf("aa", "aaa baa")]).toEqual([
      { start: 0, end: 2 },
      { start: 1, end: 3 },
      { start: 5, end: 7 },
    ]);
    expect([...placesOf("", "abc"), ...placesOf("d", "abc")]).toEqual([]);
  });

  it("are replaced once where they overlap, in whatever order they are told", () => {
    const spans = fc.array(
      fc.tuple(fc.nat(30), fc.nat(10)).map(([start, length]) => ({ start, end: start + length })),
    );
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b"), minLength: 40, maxLength: 40 }),
        spans,
        (text, parts) => {
          const isCovered = (at: number): boolean => parts.some(({ start, end }) => start <= at && at < end);
          const told = replaceSpans(text, parts, "#");
          expect(told.replaceAll("#", "")).toBe(
            text
              .split("")
              .filter((_, at) => !isCovered(at))
              .join(""),
          );
          expect(replaceSpans(text, parts.toReversed(), "#").replace(/#+/g, "#")).toBe(
            told.replace(/#+/g, "#"),
          );
        },
      ),
    );
    expect(
      replaceSpans(
        "abcdef",
        [
          { start: 2, end: 5 },
          { start: 1, end: 3 },
        ],
        "#",
      ),
    ).toBe("a#f");
  });
});
