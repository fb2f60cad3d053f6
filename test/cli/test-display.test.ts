import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import type { Terminal } from "../../src/cli/terminal.ts";
import { createTestDisplay } from "../../src/cli/test/test-display.ts";
import { columnsOf } from "../../src/cli/wrap-line.ts";
import type { TestCase } from "../../src/kuttl/files/read-case.ts";

const testCase = (name: string): TestCase => ({
  name,
  folder: "/",
  namespace: "ns",
  steps: [],
  warnings: [],
});

describe("tests on a terminal of 60 columns", () => {
  const written: (readonly [stream: "out" | "err", text: string])[] = [];
  const terminal = {
    out: (text: string) => void written.push(["out", text]),
    err: (text: string) => void written.push(["err", text]),
    interactive: true,
    color: true,
    outColor: false,
    screen: () => ({ columns: 60, rows: 20 }),
  } as unknown as Terminal;

  it("has one line that changes, which is gone before anything else is written", () => {
    const display = createTestDisplay(terminal, { cases: 2, verbose: false });
    const [one, other] = [
      testCase("a-case-with-a-rather-long-name"),
      testCase("another-one-with-a-long-name"),
    ];
    display.begin(one);
    display.begin(other);
    display.step(one, "0-install");
    const shown = written.splice(0);
    expect(shown.map(([stream]) => stream)).toEqual(["err", "err", "err"]);
    for (const [, text] of shown) {
      expect(text.startsWith("\r\u001B[2K")).toBe(true);
      expect(columnsOf(text.slice(1))).toBeLessThan(60);
    }
    expect(stripVTControlCharacters(shown[2]?.[1] ?? "").trim()).toBe(
      "0/2 · a-case-with-a-rather-long-name: 0-install, another-o…",
    );
    const findings = [{ title: "ConfigMap ns/x is not there", details: ["there is no ConfigMap at all"] }];
    const steps = [{ title: "0-install", milliseconds: 1, findings }];
    display.end({ testCase: one, milliseconds: 1_234, steps, outcome: "failed", log: ["a line of its log"] });
    const ended = written.splice(0);
    expect(ended[0]).toEqual(["err", "\r\u001B[2K"]);
    const out = ended.filter(([stream]) => stream === "out").map(([, text]) => text);
    expect(out.join("")).toBe(
      "✗ a-case-with-a-rather-long-name (1.2 s)\n  0-install\n    ConfigMap ns/x is not there\n      there is no ConfigMap at all\n  log:\n    a line of its log\n",
    );
    expect(stripVTControlCharacters(ended.at(-1)?.[1] ?? "")).toContain("1/2, 1 failed · another-one");
    display.clear();
    expect(written).toEqual([["err", "\r\u001B[2K"]]);
  });
});
