import { Ansis } from "ansis";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitTour } from "../../src/cli/commands/tour.ts";
import { columnsOf, wrapLine } from "../../src/cli/wrap-line.ts";

const paint = new Ansis(1);

describe("a line of a terminal", () => {
  it("is as wide as it is seen", () => {
    for (const [text, columns] of [
      ["", 0],
      ["Running", 7],
      [paint.cyan.bold("Running"), 7],
      ["→ Läuft", 7],
      ["e\u0301", 1],
      ["データ", 6],
      ["ok ✅", 5],
      ["a\u200Bb", 2],
    ] as const)
      expect([text, columnsOf(text)]).toEqual([text, columns]);
  });

  it("is broken between words, with what follows indented, and is left as it is where it fits", () => {
    expect(wrapLine("State   Running for 5m", 22, 8)).toEqual(["State   Running for 5m"]);
    expect(wrapLine("Says    one is done and two is not", 18, 8)).toEqual([
      "Says    one is",
      "        done and",
      "        two is not",
    ]);
    expect(wrapLine("abcdefghij", 4, 8)).toEqual(["abcd", "  ef", "  gh", "  ij"]);
    expect(wrapLine(paint.red("one two"), 4, 0)).toEqual(["\u001B[31mone", "two\u001B[39m"]);
  });

  it("loses nothing but spaces, and is nowhere too wide", () => {
    const word = fc.oneof(
      fc.string({ minLength: 1, maxLength: 30 }).map((text) => text.replaceAll(/[\s\p{Cc}]/gu, "x")),
      fc.constantFrom("データベース", paint.red("red"), "✅", "a\u0301b"),
    );
    fc.assert(
      fc.property(
        fc.array(word),
        fc.integer({ min: 4, max: 60 }),
        fc.nat({ max: 20 }),
        (words, columns, indent) => {
          const line = words.join(" ");
          const lines = wrapLine(line, columns, indent);
          for (const each of lines) expect(columnsOf(each)).toBeLessThanOrEqual(columns);
          const bare = (text: string): string => text.replaceAll(/\s+/g, "");
          expect(bare(lines.join(""))).toBe(bare(line));
        },
      ),
    );
  });

  it("is left whole in the tour where it is a command to be copied", () => {
    const command = `  export KUBECONFIG=${"/a".repeat(40)}`;
    const lines = fitTour(`  10.9 s  ${"word ".repeat(20)}\n\n${command}\n`, 60).split("\n");
    expect(lines).toContain(command);
    expect(lines.filter((line) => line.length > 60)).toEqual([command]);
  });
});
