// A recorded cycle that is planned again: the same with the same machine, different where the machine is, and never a
// difference where something is missing.
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assign } from "xstate";
import { setupLifecycle, type LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import { compileLifecycle, type LifecycleOptions } from "../../src/lifecycle/graph/compile-lifecycle.ts";
import type { LifecycleStatus } from "../../src/lifecycle/stored/snapshot.ts";
import { courseOf } from "../../src/recording/course.ts";
import type { RunLine } from "../../src/recording/recording-format.ts";
import { readRecording } from "../../src/recording/recording-reader.ts";
import { replayCycle, type CycleVerdict, type PresentKind } from "../../src/recording/replay-cycle.ts";
import { SecretValues } from "../../src/reconcile/secrets/secret-values.ts";
import { inFormerWords } from "../lifecycle/former-status.ts";
import { build, drawnState, nameOf, names, target } from "../lifecycle/drawn-lifecycle.ts";
import { RecordedLife } from "./recorded-life.ts";
import { newFolder, writeRuns } from "./recording-files.ts";

let folder: ReturnType<typeof newFolder>;
beforeAll(() => (folder = newFolder()));
afterAll(() => folder.remove());

let files = 0;

/** Writes what a life has recorded, reads it, and plans every cycle again. */
async function replay(
  life: RecordedLife,
  present: PresentKind = life.present,
  mask?: (text: string) => string,
): Promise<readonly CycleVerdict[]> {
  const file = folder.path(`life-${(files += 1)}.ndjson`);
  await writeRuns(file, life.lifecycle, life.runs, mask);
  const reader = await readRecording(file);
  const verdicts: CycleVerdict[] = [];
  for (const run of reader.resources.flatMap(({ runs }) => runs)) {
    const line = await reader.read(run);
    for (const cycle of line.cycles) {
      verdicts.push(
        await replayCycle(present, line, cycle, () => new Promise((resolve) => setTimeout(resolve, 2))),
      );
    }
  }
  await reader.close();
  return verdicts;
}

function presentOf(
  life: RecordedLife,
  machine: LifecycleMachine,
  options: LifecycleOptions = {},
): PresentKind {
  return { ...life.present, lifecycle: compileLifecycle(machine, options) };
}

const notSame = (verdicts: readonly CycleVerdict[]) => verdicts.filter(({ kind }) => kind !== "same");

const states = {
  Closed: { on: { "desired.Open": "Opening" } },
  Opening: {
    invoke: { id: "unlock", src: "unlock", onDone: "Open", onError: "Closed" },
    after: { "8h": "Closed" },
  },
  Open: { on: { "desired.Closed": "Closed", "observed.Broken": "Closed" } },
};

function shop(changed: Partial<Record<keyof typeof states, object>> = {}, version = "1"): LifecycleMachine {
  const config = {
    id: "shop",
    version,
    initial: "Closed",
    context: { opened: 0 },
    states: { ...states, ...changed },
  };
  return setupLifecycle().createMachine(config);
}

/** Opens, breaks, opens again. */
function livedShop(): RecordedLife {
  const life = new RecordedLife(shop());
  life.ask("Open");
  life.settle();
  life.finish();
  life.settle();
  life.observed = "Broken";
  life.cycle();
  life.observed = undefined;
  life.pass("10m");
  life.settle();
  life.finish();
  life.settle();
  expect(life.path).toEqual(["Closed", "Opening", "Open", "Closed", "Opening", "Open"]);
  return life;
}

describe("a cycle that is planned again", () => {
  it("does the same where an earlier version has recorded the status under its own names", async () => {
    const life = livedShop();
    const former = <T extends { readonly status?: unknown }>(part: T): T =>
      part.status === undefined ? part : { ...part, status: inFormerWords(part.status as LifecycleStatus) };
    for (const [number, run] of life.runs.entries()) {
      const cycles = run.cycles.map(({ input, plan }) => ({ input: former(input), plan: former(plan) }));
      life.runs[number] = { ...run, cycles };
    }
    expect(JSON.stringify(life.runs)).toContain('"fulfilled"');
    expect(notSame(await replay(life))).toEqual([]);
  });

  it("does the same, whatever the graph and whatever has happened", async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("target" as const), to: target }),
      fc.record({ kind: fc.constant("observe" as const), to: target }),
      fc.record({ kind: fc.constant("pass" as const), to: target }),
      fc.record({ kind: fc.constant("finish" as const), to: target }),
      fc.record({ kind: fc.constant("send" as const), to: target }),
      fc.record({ kind: fc.constant("delete" as const), to: target }),
      { weight: 6, arbitrary: fc.record({ kind: fc.constant("cycle" as const), to: target }) },
    );
    const states = fc.array(drawnState, { minLength: names.length, maxLength: names.length });
    let cycles = 0;
    await fc.assert(
      fc.asyncProperty(
        states,
        fc.array(step, { maxLength: 30 }),
        fc.boolean(),
        async (drawn, steps, undoes) => {
          const work = { attempts: 2, ...(undoes ? { compensates: true as const } : {}) };
          const life = new RecordedLife(build(drawn), { policies: { work } });
          for (const { kind, to } of steps) {
            if (kind === "target") life.ask(nameOf(to));
            else if (kind === "observe") life.observed = nameOf(to);
            else if (kind === "pass") life.pass(`${to}h`);
            else if (kind === "finish")
              life.finish(to === 0 ? { phase: "Failed", message: "no" } : { phase: "Succeeded" });
            else if (kind === "send") life.send(to === 0 ? "pause" : to === 1 ? "resume" : "retry");
            else if (kind === "delete") life.deleting = to === 0;
            else life.cycle(to === 0 ? "beforeEffects" : undefined);
          }
          cycles += life.runs.length;
          expect(notSame(await replay(life))).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
    expect(cycles).toBeGreaterThan(100);
  });

  it("names the compensation of a task that another version no longer compensates", async () => {
    const unlock = { attempts: 1, delay: 5_000, poll: 30_000 };
    const life = new RecordedLife(shop(), { policies: { unlock: { compensates: true } } });
    life.ask("Open");
    life.settle();
    life.finish({ phase: "Failed", message: "the key is gone" });
    const before = life.runs.length;
    life.cycle();
    const [run] = life.runs.slice(before);
    const line = { ...run, cycles: [{ plan: run?.cycles[0]?.plan }] } as unknown as RunLine;
    expect(courseOf(line, 1).tasks).toEqual([expect.stringMatching(/^compensates unlock-1-1-\w+$/)]);
    const [first] = notSame(await replay(life, { ...life.present, policies: { unlock } }));
    const tasks =
      first?.kind === "different" ? first.differences.find(({ aspect }) => aspect === "tasks") : {};
    expect(tasks).toMatchObject({
      recorded: expect.stringMatching(/^compensates unlock-1-1-\w+; unlock Compensating, attempt 1$/),
    });
    expect(tasks).not.toMatchObject({ now: expect.stringContaining("ompensat") });
  });

  it("names what another machine does instead: state, edge, task, timer", async () => {
    const life = livedShop();
    const aspects = async (machine: LifecycleMachine) =>
      notSame(await replay(life, presentOf(life, machine))).map((verdict) =>
        verdict.kind === "different" ? verdict.differences : [],
      );
    const [elsewhere] = await aspects(
      shop({ Open: { on: { "desired.Closed": "Closed", "observed.Broken": "Opening" } } }),
    );
    expect(elsewhere?.slice(0, 2)).toEqual([
      { aspect: "state", recorded: "Closed", now: "Opening" },
      {
        aspect: "edge",
        recorded: "Open → Closed (observed.Broken)",
        now: "Open → Opening (observed.Broken)",
      },
    ]);
    const { Opening } = states;
    const [otherTask] = await aspects(
      shop({ Opening: { ...Opening, invoke: { ...Opening.invoke, id: "turnKey" } } }),
    );
    expect(otherTask?.[0]?.aspect).toBe("tasks");
    expect(otherTask?.[0]?.recorded).toMatch(/^starts unlock-1-1-\w+; unlock Intended, attempt 1$/);
    expect(otherTask?.[0]?.now).toMatch(/^starts turnkey-1-1-\w+; turnKey Intended, attempt 1$/);
    const [otherTimer] = await aspects(shop({ Opening: { ...Opening, after: { "9h": "Closed" } } }));
    expect(otherTimer?.[0]).toEqual({
      aspect: "timers",
      recorded: "8h of Opening due 2026-01-01T08:00:00.000Z",
      now: "9h of Opening due 2026-01-01T09:00:00.000Z",
    });
  });

  it("takes the present policies of tasks", async () => {
    const life = livedShop();
    const policies = { unlock: { attempts: 1, delay: 5_000, poll: 30_000, timeout: 60_000 } };
    const [first] = notSame(await replay(life, { ...life.present, policies }));
    expect(first?.kind === "different" && first.differences[0]?.now).toMatch(
      /until 2026-01-01T00:01:00\.000Z$/,
    );
  });

  it("migrates what another version of the graph has stored, as a restore does", async () => {
    const life = livedShop();
    const config = JSON.stringify(shop({}, "2").config);
    const machine = setupLifecycle().createMachine(
      JSON.parse(config.replaceAll('"Opening"', '"Unlocking"')) as never,
    ) as unknown as LifecycleMachine;
    const migrated = presentOf(life, machine, {
      migrate: {
        "1": ({ value, context }) => ({ value: value === "Opening" ? "Unlocking" : value, context }),
      },
    });
    expect(notSame(await replay(life, migrated))).toEqual([]);
    // Without a migration from the old graph the state is derived from what is observed: that is what the operator would do.
    const [first] = notSame(await replay(life, presentOf(life, machine)));
    expect(first?.kind === "different" && first.differences[0]).toMatchObject({
      aspect: "state",
      recorded: "Opening",
      now: "Closed",
    });
  });

  it("says that it cannot tell where a secret that decides is left out, and finds differences all the same elsewhere", async () => {
    const machine = (answer: string) =>
      setupLifecycle().createMachine({
        id: "safe",
        version: "1",
        initial: "Shut",
        states: {
          Shut: {
            on: {
              "desired.Open": [
                {
                  target: "Open",
                  guard: ({ event }: { event: { spec: { code: string } } }) => event.spec.code === answer,
                },
              ],
            },
          },
          Open: { on: { "desired.Shut": "Shut" } },
        },
      } as never) as unknown as LifecycleMachine;
    const life = new RecordedLife(machine("open sesame"));
    life.edit({ code: "open sesame", size: 3 });
    life.specHash = "spec-2";
    life.ask("Open");
    life.settle();
    expect(life.state).toBe("Open");
    const secrets = new SecretValues();
    secrets.note({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "code", uid: "u", resourceVersion: "1", creationTimestamp: "" },
      data: { code: Buffer.from("open sesame").toString("base64") },
    } as never);
    const verdicts = notSame(await replay(life, life.present, secrets.masker()));
    expect(verdicts).not.toEqual([]);
    for (const verdict of verdicts) {
      expect(verdict).toEqual({
        kind: "undecided",
        why: "parts of it are not in the recording: spec.code",
      });
    }
  });

  it("tells a difference although a text for people is left out", async () => {
    const life = livedShop();
    const spoken = life.runs.map((run) => ({
      ...run,
      cycles: run.cycles.map(({ input, plan }) => ({
        input: { ...input, observation: { ...input.observation, message: "opened with secret-words" } },
        plan,
      })),
    }));
    life.runs.splice(0, life.runs.length, ...spoken);
    const { Opening } = states;
    const machine = shop({ Opening: { ...Opening, after: { "9h": "Closed" } } });
    const mask = (text: string): string => text.replaceAll("secret-words", "[redacted]");
    const verdicts = await replay(life, presentOf(life, machine), mask);
    expect(new Set(verdicts.map(({ kind }) => kind))).toEqual(new Set(["same", "different"]));
  });

  it("says that a machine does not decide on its input alone", async () => {
    const machine = setupLifecycle().createMachine({
      id: "watch",
      version: "1",
      initial: "On",
      context: { at: 0 },
      states: { On: { entry: assign({ at: () => performance.now() }) } },
    } as never) as unknown as LifecycleMachine;
    const life = new RecordedLife(machine);
    life.cycle();
    expect(await replay(life)).toEqual([
      {
        kind: "undecided",
        why: "the machine does not decide on its input alone: planned twice, it gives two results",
      },
    ]);
  });

  it("takes what was edited for what it is", async () => {
    const life = livedShop();
    const [first] = life.runs;
    const broken = {
      ...first!,
      cycles: [{ ...first!.cycles[0]!, input: { ...first!.cycles[0]!.input, now: "late" as never } }],
    };
    life.runs.splice(0, life.runs.length, broken);
    expect(await replay(life)).toEqual([{ kind: "undecided", why: "its input is not what was recorded" }]);
  });
});
