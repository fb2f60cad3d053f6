// What a recording says was there at a moment, whatever had been created, deleted and replaced until then.
import * as fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { createRecordedPast } from "../../src/cli/replay/recorded-past.ts";
import { readRecording } from "../../src/recording/recording-reader.ts";
import type { RecordedRun } from "../../src/recording/run-recorder.ts";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { RecordedLife } from "./recorded-life.ts";
import { newFolder, openTestRecording } from "./recording-files.ts";

const folder = newFolder();
afterAll(() => folder.remove());

const life = new RecordedLife(
  setupLifecycle().createMachine({ id: "thing", version: "1", initial: "Shut", states: { Shut: {} } }),
);
life.settle();
const [sample] = life.runs;

function runOf(name: string, uid: string, at: number): RecordedRun {
  if (sample === undefined) throw new Error("a life has a run");
  const { object, after: _after, ...rest } = sample;
  const metadata = { ...object.metadata, name, namespace: "default", uid };
  return { ...rest, key: `default/${name}`, uid, startedAt: at, took: 0, object: { ...object, metadata } };
}

it("has at each moment one resource of a name: the one that had it last, unless it was deleted", async () => {
  const step = fc.record({
    name: fc.constantFrom("one", "two"),
    what: fc.constantFrom("run", "another", "deleted", "replaced unseen"),
  });
  const start = Date.parse("2026-01-01T00:00:00Z");
  let files = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const file = folder.path(`life-${(files += 1)}`);
      const recording = await openTestRecording(file, life.lifecycle);
      const there = new Map<string, string>();
      const told: { readonly at: number; readonly there: ReadonlyMap<string, string> }[] = [];
      for (const [index, { name, what }] of steps.entries()) {
        const at = start + index * 1_000;
        const before = there.get(name);
        if (what === "deleted") {
          recording.gone("Thing", `default/${name}`, at);
          there.delete(name);
        } else {
          if (what === "another" && before !== undefined) {
            recording.gone("Thing", `default/${name}`, at - 1);
          }
          const uid = what === "run" && before !== undefined ? before : `${name}-${index}`;
          recording.record(runOf(name, uid, at), () => (text) => text);
          there.set(name, uid);
        }
        told.push({ at, there: new Map(there) });
      }
      await recording.close();
      const reader = await readRecording(file);
      const past = createRecordedPast("life", reader, (value) => value);
      for (const moment of told) {
        const { board } = await past.at(moment.at);
        expect(new Map(board.rows().map(({ name, uid }) => [name, uid]))).toEqual(moment.there);
        expect(board.rows()).toHaveLength(moment.there.size);
        for (const name of ["one", "two"]) {
          const address = { kind: "Thing", namespace: "default", name };
          const { board: own } = await past.at(moment.at, address);
          const found = own.find("Thing", "default", name);
          expect(found?.object.metadata.uid).toBe(moment.there.get(name));
        }
      }
      await reader.close();
    }),
    { numRuns: 30 },
  );
});
