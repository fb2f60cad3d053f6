// Nothing that a text brings along does anything to a terminal.
import { Ansis } from "ansis";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatLogLine } from "../../src/cli/log-lines.ts";
import { createProgress } from "../../src/cli/progress.ts";
import { formatError } from "../../src/cli/report-error.ts";
import { visible, visibleBut, visibleIn } from "../../src/cli/visible-text.ts";

const csi = "\u001B[";
const bad = "\u001B[2J\u0007\u009B1m\u202E\u2066\u007F\r";
const shown = String.raw`\u001b[2J\u0007\u009b1m\u202e\u2066\u007f\u000d`;

const mixed = fc
  .array(
    fc.constantFrom(
      "\u001B",
      "[",
      "2",
      "1",
      "K",
      "J",
      "A",
      "m",
      "?7l",
      "\r",
      "\n",
      "\u202E",
      "\u0085",
      "x",
      "\t",
    ),
  )
  .map((parts) => parts.join(""));
const isHidden = (text: string): boolean => /(?!\n|\t|\r\n)[\p{Cc}\u202A-\u202E\u2066-\u2069]/u.test(text);

describe("a text from elsewhere", () => {
  it("is shown with all that is hidden in it, and is otherwise as it is", () => {
    expect(visible(`a${bad}b`)).toBe(`a${shown}b`);
    expect(visible("tab\tand\r\nlines\nשלום 👩‍🚀")).toBe("tab\tand\r\nlines\nשלום 👩‍🚀");
    fc.assert(fc.property(mixed, (text) => !isHidden(visible(text))));
  });

  it("is the same JSON as before", () => {
    fc.assert(
      fc.property(fc.jsonValue(), mixed, (value, text) => {
        const json = JSON.stringify({ value, text }, null, 2);
        expect(JSON.parse(visible(json))).toEqual(JSON.parse(json));
      }),
    );
  });

  it("is shown in every text of a value", () => {
    expect(visibleIn({ [bad]: [bad, 1, null, { deep: bad }], none: undefined })).toEqual({
      [shown]: [shown, 1, null, { deep: shown }],
      none: undefined,
    });
  });

  it("cannot colour what people read of errors and logs", () => {
    const red = `${csi}31mred`;
    const error = Object.assign(new Error(red, { cause: new Error(`why ${red}`) }), { remedy: red });
    const line = JSON.stringify({ level: "info", time: "1970-01-01T00:00:00.000Z", msg: red, field: red });
    for (const text of [
      formatError(error, { color: false, debug: false }),
      formatLogLine(line, { color: false }),
    ]) {
      expect(text).toContain(String.raw`\u001b[31mred`);
      expect(isHidden(text)).toBe(false);
    }
  });
});

describe("the command's own", () => {
  const page = (lines: readonly string[]): string =>
    `${csi}12A\r${lines.map((line) => `${line}${csi}K\n`).join("")}${csi}J`;

  it("are its colours, where there may be some", () => {
    const paint = new Ansis(1);
    const painted = [
      paint.red.bold("a"),
      paint.dim("b"),
      paint.yellow("c"),
      paint.green("d"),
      paint.cyan("e"),
    ];
    const text = `${painted.join(" ")}${csi}0m\n`;
    expect(visibleBut({ color: true, moves: false })(text)).toBe(text);
    expect(visibleBut({ color: false, moves: true })(text)).not.toContain("\u001B");
    expect(visibleBut({ color: true, moves: true })(`${csi}8mhidden${csi}1;31m`)).toBe(
      String.raw`\u001b[8mhidden\u001b[1;31m`,
    );
  });

  it("are the moves around a page and before a line, and none within", () => {
    const own = visibleBut({ color: false, moves: true });
    for (const text of [
      page(["a", "b"]),
      `${csi}?7l${page(["a"]).slice(6)}`,
      `${csi}?7h`,
      `\r${csi}2K✓ done\n`,
    ]) {
      expect(own(text)).toBe(text);
    }
    const moved = page([`a${csi}5A\r${csi}J${csi}2K${csi}?7l`, "b"]);
    expect(own(moved)).toBe(page([visible(`a${csi}5A\r${csi}J${csi}2K${csi}?7l`), "b"]));
    expect(visibleBut({ color: false, moves: false })(page(["a"]))).toBe(visible(page(["a"])));
  });

  it("are those of a step that is replaced by its result", () => {
    const written: string[] = [];
    const own = visibleBut({ color: true, moves: true });
    const progress = createProgress({
      err: (text: string) => void written.push(own(text)),
      interactive: true,
      color: true,
      screen: () => undefined,
    } as unknown as Parameters<typeof createProgress>[0]);
    progress.begin("one");
    progress.done(`two${bad}.`);
    expect(written.join("")).toContain(`\r${csi}2K`);
    expect(written.join("")).toContain(`two${shown}.`);
  });
});
