import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatLogLine,
  LineSplitter,
  type LogLine,
  parseLogLine,
  selectLogLines,
  showLogLine,
} from "../../../src/cluster/pods/log-line.ts";

const now = Date.UTC(2026, 0, 1, 12);
const lineAt = (secondsAgo: number, text: string): LogLine => ({
  time: new Date(now - secondsAgo * 1000).toISOString(),
  stream: "stdout",
  text,
  complete: true,
});

describe("log lines", () => {
  it("reads back every line that it writes", () => {
    const line = fc.record({
      time: fc
        .date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-01-01") })
        .map((date) => date.toISOString()),
      stream: fc.constantFrom("stdout" as const, "stderr" as const),
      text: fc.string().filter((text) => !text.includes("\n")),
      complete: fc.boolean(),
    });
    fc.assert(
      fc.property(line, (each) => {
        expect(parseLogLine(formatLogLine(each).slice(0, -1))).toEqual(each);
      }),
    );
  });

  it("does not take foreign rows for lines", () => {
    expect(parseLogLine("")).toBeUndefined();
    expect(parseLogLine("something else")).toBeUndefined();
  });

  it("shows the text, and the time on request", () => {
    const line = lineAt(0, "hello");
    expect(showLogLine(line, false)).toBe("hello\n");
    expect(showLogLine(line, true)).toBe("2026-01-01T12:00:00.000Z hello\n");
    expect(showLogLine({ ...line, complete: false }, false)).toBe("hello");
  });

  it("selects the last lines of the recent ones", () => {
    const lines = [lineAt(60, "a"), lineAt(30, "b"), lineAt(10, "c"), lineAt(1, "d")];
    const texts = (request: Parameters<typeof selectLogLines>[1]): string =>
      selectLogLines(lines, request, now)
        .map((line) => line.text)
        .join("");
    expect(texts({})).toBe("abcd");
    expect(texts({ tailLines: 2 })).toBe("cd");
    expect(texts({ tailLines: 0 })).toBe("");
    expect(texts({ tailLines: 99 })).toBe("abcd");
    expect(texts({ sinceSeconds: 30 })).toBe("bcd");
    expect(texts({ sinceSeconds: 30, tailLines: 1 })).toBe("d");
  });

  it("cuts bytes into the same lines wherever the chunks end, also inside a character", () => {
    const text = "eins\nzwei €\n\ndrei";
    const bytes = Buffer.from(text);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        const splitter = new LineSplitter();
        const ends = [...cuts, bytes.length].sort((a, b) => a - b);
        let start = 0;
        const lines = ends.flatMap((end) => {
          const chunk = bytes.subarray(start, end);
          start = end;
          return splitter.push(chunk);
        });
        expect([...lines, splitter.end()]).toEqual(["eins", "zwei €", "", "drei"]);
      }),
    );
  });
});
