import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readOperatorText } from "../../src/operator-file/read-operator.ts";

const guide = readFileSync("docs/guides/operators-without-code.md", "utf8");
const blocks = [...guide.matchAll(/^```yaml (\w+)\n(.*?)^```$/gms)].map(([, name = "", text = ""]) => ({
  name,
  text,
}));
const base = `operator: guide
kinds:
  - group: guide.example.com
    version: v1
    kind: Guide
    spec: { properties: { level: { type: string }, shards: { type: array, items: { type: string } } } }
    lifecycle: { initial: New, states: { New: { on: { observed.Up: Running } }, Running: { on: { observed.Down: New } } } }
`;

describe("the guide on operators without code", () => {
  it("shows two parts of a file", () =>
    expect(blocks.map(({ name }) => name)).toEqual(["children", "observe"]));

  it.each(blocks)("shows $name that can be read", ({ text }) => {
    const { operator, problems } = readOperatorText(base + text.replaceAll(/^(?=.)/gm, "    "), "guide.yaml");
    expect(problems).toEqual([]);
    expect(operator?.name).toBe("guide");
  });
});
