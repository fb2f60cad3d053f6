// The file of a recording: what is written whatever happens to the process and the disk, and what is read whatever has
// happened to the file.
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Clock } from "../../src/ports/clock.ts";
import type { LogFields, Logger } from "../../src/ports/logger.ts";
import { isOperatorError } from "../../src/ports/operator-error.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { SecretValues } from "../../src/reconcile/secrets/secret-values.ts";
import { readRecording } from "../../src/recording/recording-reader.ts";
import { predecessorOf } from "../../src/recording/recording-file.ts";
import { mostWaiting } from "../../src/recording/recording-writer.ts";
import { objectAfter } from "../../src/recording/to-run-line.ts";
import type { RecordedRun } from "../../src/recording/run-recorder.ts";
import { createPrometheusMetrics } from "../../src/manager/prometheus-metrics.ts";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { eventually } from "../support/eventually.ts";
import { RecordedLife } from "./recorded-life.ts";
import { newFolder, openTestRecording, writeRuns } from "./recording-files.ts";

let folder: ReturnType<typeof newFolder>;
beforeAll(() => (folder = newFolder()));
afterAll(() => folder.remove());

const machine = setupLifecycle().createMachine({
  id: "lamp",
  version: "1",
  initial: "Off",
  states: { Off: { on: { "desired.On": "On" } }, On: { on: { "desired.Off": "Off" } } },
});

/** Runs of a lamp that is turned on. */
function someRuns(): { readonly life: RecordedLife; readonly runs: readonly RecordedRun[] } {
  const life = new RecordedLife(machine);
  life.ask("On");
  life.settle();
  return { life, runs: life.runs };
}

async function indexOf(file: string) {
  const reader = await readRecording(file);
  await reader.close();
  return reader;
}

const same = (text: string): string => text;
const textOf = (file: string): string => readFileSync(file, "utf8");
const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  return isOperatorError(error) ? error.code : String(error);
};

describe("a recording that is written", () => {
  it("has what each run was given and did, for its owner only", async () => {
    const file = folder.path("whole");
    const { life, runs } = someRuns();
    await writeRuns(file, life.lifecycle, runs);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const reader = await readRecording(file);
    expect(reader.headers).toMatchObject([
      { operator: "things", package: "0.0.0", kinds: [{ machine: "lamp@1" }] },
    ]);
    expect(reader.resources).toMatchObject([
      { kind: "Thing", key: "default/one", runs: { length: runs.length } },
    ]);
    const [resource] = reader.resources;
    const last = await reader.read(resource!.runs.at(-1)!);
    expect(objectAfter(last)).toMatchObject({
      status: { lifecycle: JSON.parse(JSON.stringify(life.status)) },
    });
    await reader.close();
  });

  it("tells which resources are gone", async () => {
    const file = folder.path("gone");
    const { life, runs } = someRuns();
    const recording = await openTestRecording(file, life.lifecycle);
    recording.gone("Thing", "default/one", 1);
    for (const run of runs) recording.record(run, () => same);
    recording.gone("Thing", "default/one", 2);
    recording.record({ ...runs[0]!, uid: "another" }, () => same);
    const next = { ...runs[0]!, uid: "third", startedAt: runs[0]!.startedAt + 1_000 };
    recording.record(next, () => same);
    await recording.close();
    const { resources } = await indexOf(file);
    expect(resources).toMatchObject([{ goneAt: 2 }, { uid: "another" }, { uid: "third" }]);
    expect(resources[1]?.goneAt).toBe(next.startedAt + next.took);
    expect(resources[2]?.goneAt).toBeUndefined();
  });

  it("says what a resource owns when that has changed, and again where nobody could have read it", async () => {
    const file = folder.path("children");
    const { life, runs } = someRuns();
    const [run] = runs;
    const limit = 400_000;
    const owning = (name: string): RecordedRun => {
      const child = { kind: "Pod", name, finalizers: [], blocksOwner: false };
      return { ...run!, children: { items: [child], more: 3 } };
    };
    const toldIn = async (...all: readonly string[]): Promise<readonly boolean[]> => {
      const recording = await openTestRecording(file, life.lifecycle, { limit });
      for (const name of all) recording.record(owning(name), () => same);
      await recording.close();
      const reader = await readRecording(file);
      const last = reader.resources[0]!.runs.slice(-all.length);
      expect((await reader.read(last[0]!)).children).toMatchObject({ items: [{ name: all[0] }], more: 3 });
      await reader.close();
      return last.map(({ hasChildren }) => hasChildren);
    };
    expect(await toldIn("a", "a", "b", "a", "a")).toEqual([true, false, true, true, false]);
    // Another process.
    expect(await toldIn("a", "a")).toEqual([true, false]);
    // Another resource, and the same in a new file.
    const recording = await openTestRecording(file, life.lifecycle, { limit });
    recording.record({ ...owning("a"), uid: "other" }, () => same);
    // More than one file takes, each of which holds several writes.
    for (let count = 0; count < 200; count += 1) recording.record(owning("a"), () => same);
    await recording.close();
    expect(existsSync(predecessorOf(file))).toBe(true);
    const [, first, ...others] = readFileSync(file, "utf8").split("\n");
    expect(first).toContain('"children":{');
    expect(others.filter((line) => line.includes('"children":{'))).toEqual([]);
  });

  it("goes on after another process, and keeps a line that was cut apart", async () => {
    const file = folder.path("appended");
    const { life, runs } = someRuns();
    await writeRuns(file, life.lifecycle, runs);
    truncateSync(file, statSync(file).size - 30);
    expect((await indexOf(file)).damage).toMatchObject({ cut: 1, unreadable: 0 });
    chmodSync(file, 0o644);
    await writeRuns(file, life.lifecycle, runs);
    const index = await indexOf(file);
    expect(index.headers).toHaveLength(2);
    expect(index.damage).toEqual({ cut: 1, unreadable: 0, places: [] });
    expect(index.runs).toBe(runs.length * 2);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("overwrites nothing that is not a recording", async () => {
    const { life } = someRuns();
    const refused = [
      ["text", "important notes\n"],
      ["newer", '{"type":"header","recording":"xstate-operator","format":99,"session":"x"}\n'],
    ] as const;
    for (const [name, text] of refused) {
      const file = folder.path(name);
      writeFileSync(file, text);
      expect(await codeOf(openTestRecording(file, life.lifecycle))).toBe("RECORDING_UNUSABLE");
      expect(readFileSync(file, "utf8")).toBe(text);
    }
    mkdirSync(folder.path("folder"));
    expect(await codeOf(openTestRecording(folder.path("folder"), life.lifecycle))).toBe("RECORDING_UNUSABLE");
    expect(await codeOf(openTestRecording(folder.path("none/such"), life.lifecycle))).toBe(
      "RECORDING_UNUSABLE",
    );
    writeFileSync(predecessorOf(folder.path("fresh")), "important notes\n");
    expect(await codeOf(openTestRecording(folder.path("fresh"), life.lifecycle))).toBe("RECORDING_UNUSABLE");
    expect(existsSync(folder.path("fresh"))).toBe(false);
  });

  it("is nobody's but its writer's: not opened through a link, nor when it belongs to another user", async () => {
    const { life } = someRuns();
    const target = folder.path("target");
    writeFileSync(target, "");
    const link = folder.path("link");
    symlinkSync(target, link);
    await expect(openTestRecording(link, life.lifecycle)).rejects.toMatchObject({
      code: "RECORDING_UNUSABLE",
      message: `${link} is not a regular file`,
    });
    // Only root can give a file away.
    if (process.getuid?.() !== 0) return;
    chownSync(target, 4242, 4242);
    await expect(openTestRecording(target, life.lifecycle)).rejects.toMatchObject({
      message: `${target} belongs to another user`,
    });
    expect(readFileSync(target, "utf8")).toBe("");
  });

  it("keeps within its limit: the newest runs, in the file and its predecessor", async () => {
    const file = folder.path("bounded");
    const { life, runs } = someRuns();
    const limit = 200_000;
    const recording = await openTestRecording(file, life.lifecycle, { limit });
    for (let count = 1; count <= 300; count += 1) {
      recording.record({ ...runs[0]!, id: `run-${count}`, startedAt: count }, () => same);
      if (count % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await recording.close();
    const sizes = [file, predecessorOf(file)].map((each) => statSync(each).size);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(limit / 2 + 70_000);
    const reader = await readRecording(file);
    const all = reader.resources[0]!.runs;
    expect(all.length).toBeGreaterThan(20);
    expect(all.length).toBeLessThan(300);
    expect((await reader.read(all.at(-1)!)).id).toBe("run-300");
    // Without a gap.
    const ids = await Promise.all(all.map(async (run) => Number((await reader.read(run)).id.slice(4))));
    expect(ids).toEqual(ids.map((_, index) => 300 - ids.length + 1 + index));
    await reader.close();
    // A process that ends at once, again and again, does not fill the disk with its headers.
    for (let count = 0; count < 3; count += 1) {
      writeFileSync(file, readFileSync(file, "utf8").padEnd(limit, "\n"));
      await (await openTestRecording(file, life.lifecycle, { limit })).close();
      expect(statSync(file).size).toBeLessThan(10_000);
    }
  });

  it("loses nothing where two processes write one file, and each of them moves it away when it is full", async () => {
    const file = folder.path("shared");
    const { life, runs } = someRuns();
    const limit = 200_000;
    const open = (session: string) => openTestRecording(file, life.lifecycle, { limit, session });
    const writers = [await open("a"), await open("b")];
    const most = 60;
    const kept = (): string => [predecessorOf(file), file].filter(existsSync).map(textOf).join("");
    for (let count = 1; count <= most; count += 1) {
      for (const [index, writer] of writers.entries()) {
        writer.record({ ...runs[0]!, id: `${index}-${count}`, startedAt: count }, () => same);
      }
      // At the same time, but neither far ahead of the other.
      if (count % 3 === 0)
        await eventually(() =>
          expect(kept()).toMatch(new RegExp(`"0-${count}".*"1-${count}"|"1-${count}".*"0-${count}"`, "s")),
        );
    }
    for (const writer of writers) await writer.close();
    const sizes = [file, predecessorOf(file)].map((each) => statSync(each).size);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(limit / 2 + 140_000);
    const reader = await readRecording(file);
    expect(reader.damage).toEqual({ cut: 0, unreadable: 0, places: [] });
    const all = await Promise.all(reader.resources[0]!.runs.map(async (run) => (await reader.read(run)).id));
    await reader.close();
    for (const index of [0, 1]) {
      // The newest of each, without a gap.
      const own = all.filter((id) => id.startsWith(`${index}-`)).map((id) => Number(id.slice(2)));
      expect(own.length).toBeGreaterThan(10);
      expect(own).toEqual(own.map((_, position) => most - own.length + 1 + position));
    }
  });

  it("begins anew where somebody has moved its file away, and writes to nothing that is put there", async () => {
    const file = folder.path("moved");
    const { life, runs } = someRuns();
    const lines: string[] = [];
    const log: Logger = { ...silentLogger, warn: (_: LogFields, message: string) => lines.push(message) };
    const recording = await openTestRecording(file, life.lifecycle, { log });
    const kept = async (id: string): Promise<void> => {
      recording.record({ ...runs[0]!, id }, () => same);
      await eventually(() => expect(readFileSync(file, "utf8")).toContain(`"id":"${id}"`));
    };
    await kept("first");
    renameSync(file, `${file}-kept`);
    await kept("second");
    rmSync(file);
    await kept("third");
    rmSync(file);
    writeFileSync(file, "important notes\n");
    recording.record({ ...runs[0]!, id: "fourth" }, () => same);
    await eventually(() => expect(lines).toHaveLength(1));
    await recording.close();
    expect(readFileSync(file, "utf8")).toBe("important notes\n");
    expect((await indexOf(`${file}-kept`)).runs).toBe(1);
  });

  it("never makes a run wait: what is too much is counted", async () => {
    const file = folder.path("flooded");
    const { life, runs } = someRuns();
    const recording = await openTestRecording(file, life.lifecycle);
    const metrics = createPrometheusMetrics();
    recording.measure(metrics);
    for (let count = 0; count < mostWaiting + 25; count += 1) recording.record(runs[0]!, () => same);
    await recording.close();
    const index = await indexOf(file);
    expect(index.runs).toBe(mostWaiting);
    expect(index.dropped).toBe(25);
    const scrape = await metrics.expose();
    expect(scrape).toContain(`xstate_operator_recorded_runs_total{result="kept"} ${mostWaiting}`);
    expect(scrape).toContain('xstate_operator_recorded_runs_total{result="dropped"} 25');
  });

  it("lets the operator go on while the disk is full, says so once, and goes on itself", async () => {
    const file = folder.path("full");
    const { life, runs } = someRuns();
    const lines: string[] = [];
    const told = (_: LogFields, message: string): number => lines.push(message);
    const log: Logger = { ...silentLogger, warn: told, info: told };
    let now = 1_000_000;
    const clock: Clock = { ...systemClock, now: () => now, monotonic: () => now };
    const metrics = createPrometheusMetrics();
    const recording = await openTestRecording(file, life.lifecycle, { log, clock });
    recording.measure(metrics);
    let recorded = 0;
    /** Records a run, and waits until it is known what has become of it. */
    const record = async (): Promise<void> => {
      recording.record(runs[0]!, () => same);
      recorded += 1;
      await eventually(async () => {
        const counted = [
          ...(await metrics.expose()).matchAll(/^xstate_operator_recorded_runs_total\{.*\} (\d+)$/gm),
        ];
        expect(counted.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(recorded);
      });
    };
    const handle = await open(file);
    const prototype = Object.getPrototypeOf(handle) as { write: (...args: unknown[]) => Promise<unknown> };
    await handle.close();
    const { write } = prototype;
    const full = vi.spyOn(prototype, "write");
    // Half a line still fits.
    full.mockImplementationOnce(function half(this: unknown, bytes: unknown) {
      return write.call(this, bytes, 0, 40, null);
    });
    full.mockRejectedValue(new Error("ENOSPC: no space left on device"));
    await record();
    await record();
    now += 60_000;
    await record();
    full.mockRestore();
    now += 60_000;
    await record();
    await recording.close();
    expect(lines).toEqual([
      "the recording cannot be written; the operator continues without it",
      "the recording continues",
    ]);
    expect(await indexOf(file)).toMatchObject({ runs: 1, dropped: 3, damage: { unreadable: 1 } });
  });
});

describe("secrets", () => {
  /** A text as an author may make one around a value. */
  const around = fc.constantFrom(
    (value: string) => value,
    (value: string) => `could not log in with ${value}: refused`,
    (value: string) => JSON.stringify({ url: `postgres://app:${value}@db/orders` }),
    (value: string) => `{"data": {"key": ${JSON.stringify(value)}}}`,
  );
  const place = fc.constantFrom(
    "spec",
    "fact",
    "message",
    "cause",
    "error",
    "request",
    "report",
    "key",
    "condition",
    "password",
  );

  it("never reach the file, wherever an author has put them", async () => {
    const alphabet = 'QXZqxz#%&!éß漢 "\\'.split("");
    const secret = fc
      .array(fc.constantFrom(...alphabet), { minLength: 6, maxLength: 40 })
      .map((letters) => letters.join("").trim())
      .filter((value) => value.length >= 6);
    let number = 0;
    await fc.assert(
      fc.asyncProperty(
        secret,
        fc.array(fc.tuple(place, around), { minLength: 1, maxLength: 6 }),
        async (value, places) => {
          const file = folder.path(`secret-${(number += 1)}`);
          const secrets = new SecretValues((text) => ["one", "default", "Thing"].includes(text));
          secrets.note({
            apiVersion: "v1",
            kind: "Secret",
            metadata: { name: "s", uid: "u", resourceVersion: "1", creationTimestamp: "" },
            data: { value: Buffer.from(value).toString("base64") },
          } as never);
          const { life, runs } = someRuns();
          await writeRuns(
            file,
            life.lifecycle,
            [
              leak(
                runs[0]!,
                places.map(([where, text]) => [where, text(value)] as const),
              ),
            ],
            secrets.masker(),
          );
          const text = readFileSync(file, "utf8");
          for (const form of [
            value,
            JSON.stringify(value).slice(1, -1),
            Buffer.from(value).toString("base64"),
          ]) {
            expect(text).not.toContain(form);
          }
          expect(await indexOf(file)).toMatchObject({ runs: 1, damage: { unreadable: 0 } });
        },
      ),
      { numRuns: 60 },
    );
  });

  it("that are short numbers or common words leave the recording whole", async () => {
    const file = folder.path("common");
    const secrets = new SecretValues();
    for (const [number, value] of ["5432", "lamp", "modified", "2026", "CRChecker"].entries()) {
      secrets.note({
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "s", uid: `u${number}`, resourceVersion: "1", creationTimestamp: "" },
        data: { value: Buffer.from(value).toString("base64") },
      } as never);
    }
    const { life, runs } = someRuns();
    const numbered = { ...runs[0]!, took: 5432, waited: 5432, writes: 5432 };
    await writeRuns(file, life.lifecycle, [numbered], secrets.masker());
    const reader = await readRecording(file);
    const line = await reader.read(reader.resources[0]!.runs[0]!);
    expect(line).toMatchObject({ took: 5432, causes: [{ reason: "[redacted]" }], cycles: [{ altered: [] }] });
    await reader.close();
  });

  function leak(run: RecordedRun, texts: readonly (readonly [string, string])[]): RecordedRun {
    const all = (where: string): readonly string[] =>
      texts.flatMap(([each, text]) => (each === where ? [text] : []));
    const [cycle] = run.cycles;
    const input = {
      ...cycle!.input,
      spec: { ...cycle!.input.spec, deep: [{ texts: all("spec") }], password: all("password") },
      observation: {
        state: "Off",
        facts: { seen: all("fact"), ...Object.fromEntries(all("key").map((text) => [text, 1])) },
      },
      conditions: all("condition").map((message) => ({
        type: "X",
        status: "True" as const,
        reason: "X",
        message,
        lastTransitionTime: "",
      })),
      reports: all("report").map((message) => ({ key: "k", kind: "startFailed" as const, message })),
    };
    const plan = {
      ...cycle!.plan,
      pendingEvents: all("message").map((message) => ({ type: "Normal" as const, reason: "X", message })),
    };
    return {
      ...run,
      causes: all("cause").map((detail) => ({ reason: "modified", detail })),
      error: all("error").join(" "),
      requests: all("request").map((error) => ({
        at: 1,
        verb: "apply" as const,
        type: "v1 ConfigMap",
        key: "a/b",
        paths: [],
        error,
      })),
      object: { ...run.object, spec: input.spec, status: { conditions: input.conditions } } as never,
      cycles: [{ input, plan }],
    };
  }
});

describe("a recording that is read", () => {
  it("is told from everything else", async () => {
    const cases: readonly (readonly [string, string | Buffer, string])[] = [
      ["empty", "", "RECORDING_INVALID"],
      ["prose", "Dear diary\n", "RECORDING_INVALID"],
      ["json", '{"type":"header"}\n', "RECORDING_INVALID"],
      [
        "binary",
        Buffer.from(Array.from({ length: 4_000 }, (_, index) => (index * 7) % 256)),
        "RECORDING_INVALID",
      ],
      ["half", '{"type":"header","recording":"xstate-operator","format":1,"session":"x', "RECORDING_INVALID"],
      [
        "future",
        '{"type":"header","recording":"xstate-operator","format":2,"session":"x"}\n',
        "RECORDING_NEWER",
      ],
    ];
    for (const [name, content, code] of cases) {
      writeFileSync(folder.path(name), content);
      expect(await codeOf(readRecording(folder.path(name)))).toBe(code);
    }
    expect(await codeOf(readRecording(folder.path("nowhere")))).toBe("RECORDING_INVALID");
    expect(await codeOf(readRecording(folder.path(".")))).toBe("RECORDING_INVALID");
  });

  it("is not taken for one of this version where a newer one has gone on in it", async () => {
    const file = folder.path("gone-on");
    const { life, runs } = someRuns();
    await writeRuns(file, life.lifecycle, runs);
    const lines = textOf(file);
    appendFileSync(file, lines.replace('"format":1', '"format":2'));
    expect(await codeOf(readRecording(file))).toBe("RECORDING_NEWER");
  });

  it("says which lines were spoilt, and shows the others", async () => {
    const file = folder.path("edited");
    const { life, runs } = someRuns();
    await writeRuns(file, life.lifecycle, runs);
    const [header = "", first = "", ...rest] = readFileSync(file, "utf8").split("\n");
    const spoilt = first.replace('"startedAt":', '"startedAt":"soon","was":');
    writeFileSync(file, [header, spoilt, "\u0000\u0001", "x".repeat(100), "", first, ...rest].join("\n"));
    expect(await indexOf(file)).toMatchObject({
      runs: runs.length,
      damage: { cut: 0, unreadable: 3, places: [`${file}:2`, `${file}:3`, `${file}:4`] },
    });
  });

  it("of any size takes little memory", async () => {
    const file = folder.path("huge");
    const { life, runs } = someRuns();
    await writeRuns(file, life.lifecycle, runs.slice(0, 1));
    const line = readFileSync(file, "utf8").split("\n")[1]!;
    const block = `${line}\n`.repeat(1_000);
    for (let count = 0; count < 8; count += 1) appendFileSync(file, block);
    // A line without an end is not gathered.
    const chunk = Buffer.alloc(8 * 1024 * 1024, "x");
    for (let count = 0; count < 6; count += 1) appendFileSync(file, chunk);
    const size = statSync(file).size;
    globalThis.gc?.();
    const before = process.memoryUsage();
    const index = await indexOf(file);
    const after = process.memoryUsage();
    expect(index).toMatchObject({ runs: 8_001, damage: { cut: 1 } });
    expect(size).toBeGreaterThan(60_000_000);
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(45_000_000);
  });
});
