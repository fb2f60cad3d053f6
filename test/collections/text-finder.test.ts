import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shortestPiece, shortestText, TextFinder } from "../../src/collections/text-finder.ts";

function knowing(texts: readonly string[], limit = 1_000): TextFinder {
  const finder = new TextFinder({ limit });
  for (const text of texts) finder.add(text);
  return finder;
}

// Few letters, so that texts are parts of each other, begin alike, end alike and overlap.
const letters = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 40 });
const known = letters.filter((text) => text.length >= shortestText);

describe("known texts", () => {
  it("are replaced wherever they are, however they overlap", () => {
    fc.assert(
      fc.property(fc.array(known, { maxLength: 8 }), fc.array(letters, { maxLength: 4 }), (texts, around) => {
        const mixed = [...around, ""].flatMap((text, index) => [text, texts[index] ?? ""]).join("");
        const told = knowing(texts).replace(mixed, "#");
        for (const text of texts) expect(told).not.toContain(text);
      }),
    );
  });

  it("are replaced in pieces that are long enough, wherever these lie", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 20, maxLength: 1_000 }),
        fc.nat(),
        fc.nat(),
        (text, from, length) => {
          const start = from % (text.length - shortestPiece);
          const piece = text.slice(start, start + shortestPiece + (length % 40));
          const told = knowing([text]).replace(`<${piece}>`, "#");
          expect(told).toContain("#");
          for (let at = 1; at + shortestPiece < told.length; at += 1) {
            expect(text).not.toContain(told.slice(at, at + shortestPiece));
          }
        },
      ),
    );
  });

  it("leave everything else as it is, piece by piece", () => {
    const alphabet = (unit: string) => fc.string({ unit: fc.constantFrom(...unit.split("")), maxLength: 60 });
    fc.assert(
      fc.property(fc.array(alphabet("abc")), alphabet("xyz"), (texts, text) => {
        expect(knowing(texts).replace(text, "#")).toBe(text);
      }),
    );
    expect(knowing(["abcdefghijklmnop"]).replace("abcdefghijk is 11 letters", "#")).toBe(
      "abcdefghijk is 11 letters",
    );
  });

  it("are found by their end where they begin alike, and in long texts by what is between", () => {
    const many = Array.from({ length: 2_000 }, (_, index) => `postgres://user:${index}x`);
    expect(knowing(many, 5_000).replace("at postgres://user:1234x now", "#")).toBe("at # now");
    const long = Array.from({ length: 10_000 }, (_, index) => `${index},`).join("");
    expect(knowing([long]).replace(`<${long.slice(30_000, 30_300)}>`, "#")).toBe("<#>");
    expect(knowing([long]).replace(long, "#")).toBe("#");
  });

  it("take what follows them for theirs where only their beginning is known", () => {
    const finder = new TextFinder({ limit: 10 });
    finder.add("beginning-of-a-long-one", true);
    expect(finder.replace("it is beginning-of-a-long-one and the rest", "#")).toBe("it is #");
    expect(finder.replace("it is beginning-of-a and the rest", "#")).toBe("it is # and the rest");
  });

  it("are kept where they are said to be public", () => {
    const finder = knowing(["orders-database", "orders-password"]);
    const isName = (found: string): boolean => found === "orders-database";
    expect(finder.replace("orders-database: orders-password", "#", isName)).toBe("orders-database: #");
  });

  it("are forgotten when there are too many, the older ones first", () => {
    const finder = knowing(
      Array.from({ length: 25 }, (_, index) => `number-${index}-of-all`),
      10,
    );
    expect(finder.size).toBeLessThanOrEqual(10);
    expect(finder.replace("number-24-of-all", "#")).toBe("#");
    expect(finder.replace("number-0-of-all", "#")).toBe("number-0-of-all");
  });

  it("cost about the same however many there are", () => {
    const finder = knowing(
      Array.from({ length: 20_000 }, (_, index) => `${index * 7_919}-secret-${index}`),
      50_000,
    );
    const text = "The quick brown fox jumps over the lazy dog. ".repeat(1_000);
    const started = performance.now();
    expect(finder.replace(text, "#")).toBe(text);
    // A search for each of them takes half a minute.
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});
