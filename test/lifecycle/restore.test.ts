// Whatever is stored: nothing throws, nothing is started from it, and the state comes back from the condition.
import { toTimestamp } from "../../src/meta/condition.ts";
import { describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import type { Condition } from "../../src/meta/condition.ts";
import { compileLifecycle } from "../../src/lifecycle/graph/compile-lifecycle.ts";
import { tasksToObserve, planCycle } from "../../src/lifecycle/cycle.ts";
import type { CycleInput, CyclePlan } from "../../src/lifecycle/cycle-plan.ts";
import { restoreLifecycle } from "../../src/lifecycle/stored/restore.ts";
import type { TaskRecord } from "../../src/lifecycle/tasks/task-record.ts";
import { databaseLifecycle } from "./database-lifecycle.ts";
import { Life } from "./life.ts";
import { mutations, situations } from "./stored-situations.ts";

const taken = situations();

function looksOf(input: CycleInput): readonly TaskRecord[] {
  return tasksToObserve(restoreLifecycle(input.lifecycle, input), input.now);
}

function startsOf(plan: CyclePlan): number {
  return plan.effects.filter((effect) => effect.kind === "startTask").length;
}

describe("restoring a lifecycle", () => {
  it.each(taken)("survives every single-field mutation of a stored status (%s)", (_name, input) => {
    let count = 0;
    for (const status of mutations(input.status)) {
      const plan = planCycle({ ...input, status });
      expect(startsOf(plan), JSON.stringify(status)).toBe(0);
      looksOf({ ...input, status });
      count += 1;
    }
    expect(count).toBeGreaterThan(200);
  });

  it.each(taken.filter(([name]) => name !== "intended"))(
    "starts nothing in the cycles after a mutation either (%s)",
    (_name, input) => {
      for (const status of mutations(input.status)) {
        const life = new Life(databaseLifecycle, { policies: { backUp: { attempts: 3 } } });
        life.now = input.now;
        life.generation = input.generation;
        life.desired = input.desired;
        life.store(status);
        life.conditions = (input.conditions ?? []).map((each) => ({
          lastTransitionTime: toTimestamp(0),
          ...each,
        }));
        for (const { key } of looksOf(input)) life.running.set(key, { phase: "Running" });
        for (let round = 0; round < 4; round += 1) life.cycle();
        expect(life.starts, JSON.stringify(status)).toEqual([]);
      }
    },
  );

  it.each(taken)("survives every truncation of a stored status (%s)", (_name, input) => {
    const text = JSON.stringify(input.status);
    for (let length = 0; length < text.length; length += 1) {
      const plan = planCycle({ ...input, status: text.slice(0, length) });
      expect(startsOf(plan), text.slice(0, length)).toBe(0);
    }
  });

  it.each(taken)("starts nothing from a condition alone (%s)", (_name, input) => {
    const plan = planCycle({ ...input, status: undefined });
    expect(startsOf(plan)).toBe(0);
    if (plan.moved === undefined) expect(plan.status?.state).toBe(input.conditions?.[0]?.reason);
  });

  it.each(taken)("is done once in a cycle: what was restored is not read again (%s)", (_name, input) => {
    const restored = restoreLifecycle(input.lifecycle, input);
    const unreadable = Object.defineProperty({ ...input }, "status", {
      get: () => expect.unreachable("the stored status is read again"),
    });
    expect(planCycle(unreadable, restored)).toEqual(planCycle(input));
  });

  it("takes the state from the condition when every other field is gone", () => {
    const life = new Life(databaseLifecycle);
    const condition: Condition = {
      type: "Lifecycle",
      status: "True",
      reason: "Running",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
      observedGeneration: 1,
    };
    life.conditions = [condition];
    const plan = life.cycle();
    expect(plan.moved).toBeUndefined();
    expect(life.state).toBe("Running");
    expect(life.condition).toMatchObject({ status: "True", reason: "Running" });
  });

  it("does not repeat a reached target when only the condition is left", () => {
    const life = new Life(databaseLifecycle);
    life.observed = "Running";
    life.settle();
    life.ask("Servicing", "nightly");
    life.settle();
    life.finish();
    life.settle();
    expect(life.starts).toHaveLength(1);
    life.store(undefined);
    for (let round = 0; round < 5; round += 1) life.cycle();
    expect(life.starts).toHaveLength(1);
    expect(life.condition).toMatchObject({ status: "True", reason: "Running" });
  });

  it("looks for the task of a state restored from the condition, and goes on with it", () => {
    const life = new Life(databaseLifecycle);
    life.observed = "Running";
    life.settle();
    life.ask("Servicing");
    life.settle();
    const { key, entry } = life.task;
    life.store({ ...life.status, tasks: {}, digest: undefined });
    expect(looksOf(life.input())).toMatchObject([{ key, entry, lost: true }]);
    life.settle();
    expect(life.task).toMatchObject({ key, phase: "Running" });
    life.finish();
    life.settle();
    expect(life.state).toBe("Running");
    expect(life.starts).toEqual([key]);
  });

  it("gives a lost task of which there is no trace to a person rather than start it", () => {
    const life = new Life(databaseLifecycle);
    life.observed = "Running";
    life.settle();
    life.ask("Servicing");
    life.settle();
    life.running.clear();
    life.store(undefined);
    life.settle();
    expect(life.state).toBe("HumanIntervention");
    expect(life.condition.message).toContain("it may have run");
    expect(life.starts).toHaveLength(1);
  });

  const damaged: readonly (readonly [string, unknown])[] = [
    ["a removed state", "Removed"],
    ["no value", null],
    ["an empty object", {}],
    ["a number", 7],
    ["constructor", "constructor"],
    ["__proto__", "__proto__"],
    ["two states of one choice", "Running,Servicing"],
    ["two states of one choice, nested", { Running: {}, Servicing: {} }],
    ["an id", "#database.Servicing"],
    ["a path into a state without states", "Running:Inner"],
    ["a list", ["Running"]],
  ];
  it.each(damaged)("takes no state from a snapshot whose value is %s", (_name, value) => {
    const life = new Life(databaseLifecycle);
    life.observed = "Running";
    life.settle();
    const status = {
      ...life.status,
      state: value,
      snapshot: { ...life.status?.snapshot, value },
      digest: undefined,
    };
    const { lifecycle } = life;
    const alone = restoreLifecycle(lifecycle, { status, conditions: [], uid: "u" });
    expect(alone.origin).toBe("unknown");
    expect(alone.position).toBeUndefined();
    const both = restoreLifecycle(lifecycle, { status, conditions: life.conditions, uid: "u" });
    expect(both.position?.leaves).toEqual(["Running"]);
  });

  it.each([null, "text", 7, {}, [null], [{ type: "Lifecycle" }], [{ type: "Lifecycle", reason: {} }]])(
    "survives conditions that are %j",
    (conditions) => {
      const life = new Life(databaseLifecycle);
      const plan = planCycle({ ...life.input(), conditions: conditions as never });
      expect(plan.moved).toMatchObject({ to: "Start" });
    },
  );

  it("derives the state from what is observed when nothing stored is usable", () => {
    const life = new Life(databaseLifecycle);
    life.store({ state: 3 });
    life.observed = "Running";
    const plan = life.cycle();
    expect(plan.moved).toMatchObject({ to: "Running", event: "restore" });
    expect(plan.operation).toBe("update");
  });

  it("goes to a person with the reason when nothing stored is usable and nothing is observed", () => {
    const life = new Life(databaseLifecycle);
    life.store("garbage");
    life.cycle();
    expect(life.state).toBe("HumanIntervention");
    expect(life.condition.message).toContain("status.lifecycle are incomplete");
    expect(life.condition.message).toContain("accepted: retry");
  });

  it("decides nothing while nothing stored is usable and the observer fails", () => {
    const life = new Life(databaseLifecycle);
    life.store("garbage");
    life.observationError = "connection refused";
    const plan = life.cycle();
    expect(plan.status).toBeUndefined();
    expect(plan.condition).toMatchObject({ status: "Unknown" });
    expect(plan.requeueAfter).toBeGreaterThan(0);
    expect(plan.effects).toEqual([]);
  });

  it("does not read a snapshot far above its budget", () => {
    const life = new Life(databaseLifecycle);
    life.observed = "Running";
    life.settle();
    const context = { filler: "x".repeat(100_000) };
    life.store({ ...life.status, snapshot: { ...life.status?.snapshot, context } });
    life.observed = undefined;
    const plan = life.cycle();
    expect(plan.problems.map((problem) => problem.code)).toContain("SNAPSHOT_INVALID");
    expect(life.state).toBe("Running");
    expect(life.status?.snapshot.context).toEqual({});
  });

  it("does not take for an edit what an API server does to a status: order, null, empty", () => {
    const life = new Life(databaseLifecycle);
    life.observed = "Running";
    life.settle();
    life.ask("Servicing");
    life.settle();
    const { tasks, timers: _timers, snapshot, ...rest } = life.status ?? ({} as never);
    const { context: _context, ...others } = snapshot;
    life.store({ snapshot: Object.fromEntries(Object.entries(others).reverse()), ...rest, tasks });
    const plan = life.cycle();
    expect(plan.problems).toEqual([]);
    expect(life.task).toMatchObject({ phase: "Running" });
  });

  it("tells once that somebody edited the status, and goes on", () => {
    const life = new Life(databaseLifecycle);
    life.observed = "Running";
    life.settle();
    life.store({ ...life.status, target: { ...life.status?.target, state: "Servicing" } });
    const plan = life.cycle();
    expect(plan.problems[0]?.message).toContain("edited by another client");
    expect(life.cycle().problems).toEqual([]);
    expect(life.status?.target).toMatchObject({ state: "Running", reached: true });
  });
});

describe("a snapshot of another version", () => {
  const next = setupLifecycle().createMachine({
    id: "database",
    version: "2",
    initial: "Start",
    context: { backups: 0 },
    states: {
      Start: { on: { "observed.Running": "Serving" } },
      Serving: { on: { "desired.Servicing": "Servicing", "desired.End": "End" } },
      Servicing: {
        invoke: { id: "backup", src: "backUp", onDone: "Serving", onError: "HumanIntervention" },
      },
      End: { type: "final" },
    },
  });

  function runningLife(): Life {
    const life = new Life(databaseLifecycle);
    life.observed = "Running";
    life.settle();
    life.observed = undefined;
    return life;
  }

  function upgraded(before: Life, options = {}): Life {
    const life = new Life(next, { options });
    life.status = before.status;
    life.conditions = before.conditions;
    life.generation = before.generation;
    life.now = before.now;
    return life;
  }

  it("is migrated by the author's function", () => {
    const life = upgraded(runningLife(), {
      migrate: {
        "1": (old: { value: string }) => ({
          value: old.value === "Running" ? "Serving" : old.value,
          context: { backups: 3 },
        }),
      },
    });
    life.cycle();
    expect(life.state).toBe("Serving");
    expect(life.status).toMatchObject({
      graph: "database@2",
      snapshot: { context: { backups: 3 }, graph: "database@2" },
    });
  });

  it("is migrated by one function for all versions, which may pass", () => {
    const migrate = (old: { value: string; context: object }, from: string): unknown =>
      from === "1" ? { value: "Serving", context: old.context } : undefined;
    const known = upgraded(runningLife(), { migrate });
    known.cycle();
    expect(known.state).toBe("Serving");
    const passing = upgraded(runningLife(), { migrate: () => undefined });
    passing.cycle();
    expect(passing.state).toBe("HumanIntervention");
  });

  it.each([null, 7, {}, { value: 3 }, { value: "Gone", context: [] }])(
    "is not taken from a migration that returns %j",
    (result) => {
      const life = upgraded(runningLife(), { migrate: () => result });
      life.cycle();
      expect(life.state).toBe("HumanIntervention");
    },
  );

  it("follows renamed states", () => {
    const life = upgraded(runningLife(), {
      migrate: { "1": (old: object) => old },
      renames: { Running: "Serving" },
    });
    life.cycle();
    expect(life.state).toBe("Serving");
  });

  it("is derived from observation when there is no migration", () => {
    const life = upgraded(runningLife());
    life.observed = "Serving";
    life.cycle();
    expect(life.state).toBe("Serving");
  });

  it("goes to a person when there is no migration and nothing known is observed", () => {
    const life = upgraded(runningLife());
    life.cycle();
    expect(life.state).toBe("HumanIntervention");
    expect(life.condition.message).toContain("database@1");
  });

  it("contains a migration that throws", () => {
    const life = upgraded(runningLife(), {
      migrate: {
        "1": () => {
          throw new Error("no idea");
        },
      },
    });
    const plan = life.cycle();
    expect(plan.problems.some((problem) => problem.message.includes("no idea"))).toBe(true);
    expect(life.state).toBe("HumanIntervention");
  });

  it("keeps the state of a task that both graphs know, whatever is observed meanwhile", () => {
    const before = runningLife();
    before.ask("Servicing");
    before.settle();
    const { key } = before.task;
    const life = upgraded(before);
    life.desired = before.desired;
    for (const each of before.running) life.running.set(...each);
    life.observed = "Serving";
    life.settle();
    expect(life.state).toBe("Servicing");
    expect(life.task.key).toBe(key);
    expect(life.starts).toEqual([]);
    expect(life.cancels).toEqual([]);
  });

  it("keeps a value that is null, whatever it was at first", () => {
    const snapshot = { graph: "database@2", value: "Serving", context: { backups: null }, entry: 2 };
    const stored = { status: { graph: "database@2", snapshot }, conditions: [], uid: "u" };
    const restored = restoreLifecycle(compileLifecycle(next), stored);
    expect(restored.position?.context["backups"]).toBeNull();
    expect(restored.problems).toEqual([]);
  });

  it("keeps to the shape of the new context", () => {
    const lifecycle = compileLifecycle(next);
    const status = {
      graph: "database@2",
      snapshot: { graph: "database@2", value: "Serving", context: { backups: "many", more: 1 }, entry: 2 },
    };
    const restored = restoreLifecycle(lifecycle, { status, conditions: [], uid: "u" });
    expect(restored.position?.context).toEqual({ backups: 0, more: 1 });
    expect(restored.problems[0]?.message).toContain('"backups" has the wrong shape');
  });
});
