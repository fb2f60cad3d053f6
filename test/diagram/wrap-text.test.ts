import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textWidth } from "../../src/diagram/text-width.ts";
import { wrapText } from "../../src/diagram/wrap-text.ts";

const face = { size: 12 };

describe("wrapping of texts", () => {
  it("breaks at spaces, and inside of words only where they are too long", () => {
    expect(wrapText("observed.Running [isAllowedNow]", { face, width: 130, lines: 4 })).toEqual([
      "observed.Running",
      "[isAllowedNow]",
    ]);
    expect(wrapText("done.takeTheNightlyBackup", { face, width: 110, lines: 4 })).toEqual([
      "done.takeThe",
      "NightlyBackup",
    ]);
    expect(wrapText("abcdefghijkl", { face, width: 40, lines: 4 }).join("")).toBe("abcdefghijkl");
  });

  it("keeps to the width and to the number of lines, and loses nothing before that", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 200 }),
        fc.integer({ min: 30, max: 200 }),
        (text, width) => {
          const lines = wrapText(text, { face, width, lines: 3 });
          expect(lines.length).toBeGreaterThan(0);
          expect(lines.length).toBeLessThanOrEqual(3);
          for (const line of lines) expect(textWidth(line, face)).toBeLessThanOrEqual(width);
          const whole = wrapText(text, { face, width, lines: 10_000 });
          expect(whole.every((line) => !line.endsWith("…") || text.includes("…"))).toBe(true);
        },
      ),
    );
  });
});
