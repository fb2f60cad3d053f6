// Recordings in a folder of their own.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Lifecycle } from "../../src/lifecycle/graph/compile-lifecycle.ts";
import {
  openRecording,
  type Recording,
  type RecordingOptions,
} from "../../src/recording/recording-writer.ts";
import type { RecordedRun } from "../../src/recording/run-recorder.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { silentLogger } from "../../src/ports/logger.ts";

/** A new folder, with what removes it. */
export function newFolder(): { readonly path: (name: string) => string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "xstate-operator-recording-"));
  return { path: (name) => join(folder, name), remove: () => rmSync(folder, { recursive: true }) };
}

/** Opens a recording of things. */
export function openTestRecording(
  file: string,
  lifecycle: Lifecycle | undefined,
  options: Partial<Omit<RecordingOptions, "about">> & { readonly session?: string } = {},
): Promise<Recording> {
  const { session = "s1", ...more } = options;
  return openRecording({
    file,
    limit: 64 * 1024 * 1024,
    clock: systemClock,
    log: silentLogger,
    about: {
      session,
      package: "0.0.0",
      operator: "things",
      pid: 1,
      kinds: [
        {
          kind: "Thing",
          group: "test.example.com",
          version: "v1",
          plural: "things",
          namespaced: true,
          ...(lifecycle === undefined ? {} : { machine: lifecycle.graphId, graph: lifecycle.chart.graph }),
        },
      ],
    },
    ...more,
  });
}

/** Writes runs as one process, from its start to its end. */
export async function writeRuns(
  file: string,
  lifecycle: Lifecycle | undefined,
  runs: readonly RecordedRun[],
  mask: (text: string) => string = (text) => text,
): Promise<void> {
  const recording = await openTestRecording(file, lifecycle);
  for (const run of runs) recording.record(run, () => mask);
  await recording.close();
}
