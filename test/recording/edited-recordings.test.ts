// A recording of which somebody has changed any value: it is refused, or the line is left out, or it is shown.
import { readFileSync, writeFileSync } from "node:fs";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createRecordedPast } from "../../src/cli/replay/recorded-past.ts";
import { detailOf } from "../../src/dashboard/resource-detail.ts";
import { redact } from "../../src/manager/redaction.ts";
import { readRecording } from "../../src/recording/recording-reader.ts";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { runCommand } from "../cli/run-in-process.ts";
import { RecordedLife } from "./recorded-life.ts";
import { newFolder, writeRuns } from "./recording-files.ts";

const folder = newFolder();
let lines: readonly string[] = [];
let places: readonly (readonly [line: number, path: readonly string[]])[] = [];

beforeAll(async () => {
  const life = new RecordedLife(
    setupLifecycle().createMachine({
      id: "thing",
      version: "1",
      initial: "Shut",
      states: {
        Shut: { on: { "desired.Open": "Opening" } },
        Opening: {
          invoke: { id: "open", src: "open", onDone: "Open", onError: "Shut" },
          after: { "1h": "Shut" },
        },
        Open: { on: { "desired.Shut": "Shut" } },
      },
    }),
  );
  life.ask("Open");
  life.settle();
  await writeRuns(folder.path("whole"), life.lifecycle, life.runs);
  lines = readFileSync(folder.path("whole"), "utf8").trimEnd().split("\n");
  places = lines.flatMap((line, number) => pathsIn(JSON.parse(line)).map((path) => [number, path] as const));
});

afterAll(() => folder.remove());

function pathsIn(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => [
    [name],
    ...pathsIn(each).map((path) => [name, ...path]),
  ]);
}

function withChange(line: string, path: readonly string[], value: unknown): string {
  const whole = JSON.parse(line) as Record<string, unknown>;
  let at = whole;
  for (const name of path.slice(0, -1)) at = at[name] as Record<string, unknown>;
  at[path.at(-1)!] = value;
  return JSON.stringify(whole);
}

it("whatever was changed, nothing breaks", async () => {
  const junk = fc.constantFrom<unknown>(
    undefined,
    null,
    -1,
    1e20,
    "junk",
    "",
    [],
    {},
    [null],
    { a: null },
    true,
  );
  await fc.assert(
    fc.asyncProperty(fc.nat(), junk, async (place, value) => {
      const [number, path] = places[place % places.length]!;
      const file = folder.path("edited");
      writeFileSync(
        file,
        `${lines.map((line, index) => (index === number ? withChange(line, path, value) : line)).join("\n")}\n`,
      );
      const { code, err } = await runCommand(["replay", file, "--output", "json"]);
      if (code === 2 && err !== "") {
        expect(err).toMatch(/code: RECORDING_(INVALID|NEWER)/);
        return;
      }
      const reader = await readRecording(file);
      const past = createRecordedPast("edited", reader, redact);
      const { board, runs } = await past.at(past.to, { kind: "Thing", namespace: "default", name: "one" });
      const found = board.find("Thing", "default", "one");
      if (found !== undefined) {
        detailOf({
          ...found,
          history: board.history.of(found.object.metadata.uid),
          runs: (kind, key) => runs.of(kind, key),
          events: [],
          unknown: [],
          sanitize: redact,
          now: past.to,
        });
      }
      await reader.close();
    }),
    { numRuns: 60 },
  );
});
