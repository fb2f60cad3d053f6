import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readOperatorText } from "../../src/operator-file/parts/read-operator.ts";

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

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "guide-"));
  for (const [name, file] of [
    ["chart", "Chart.yaml"],
    ["config", "kustomization.yaml"],
  ] as const) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, file), "");
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the guide on operators without code", () => {
  it("shows parts of a file", () =>
    expect(blocks.map(({ name }) => name)).toEqual(["children", "charts", "observe", "versions"]));

  it.each(blocks)("shows $name that can be read", ({ text }) => {
    const { operator, problems } = readOperatorText(
      base + text.replaceAll(/^(?=.)/gm, "    "),
      join(folder, "guide.yaml"),
    );
    expect(problems).toEqual([]);
    expect(operator?.name).toBe("guide");
  });
});
