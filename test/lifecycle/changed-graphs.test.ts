// What is carried over when a new version of a graph splits, swaps, nests and removes: tasks, timers, regions, history.
import { describe, expect, it } from "vitest";
import { setupLifecycle, type LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import type { MigratedSnapshot } from "../../src/lifecycle/graph/migrate.ts";
import { Life, type LifeOptions } from "./life.ts";

/** The same resource under another version of its operator. */
function upgraded(before: Life, machine: LifecycleMachine, given: LifeOptions = {}): Life {
  const life = new Life(machine, given);
  const { status, conditions, generation, now, desired, observed } = before;
  Object.assign(life, { status, conditions, generation, now, desired, observed });
  for (const each of before.running) life.running.set(...each);
  life.starts.push(...before.starts);
  return life;
}

const same = { options: { migrate: { "1": (old: MigratedSnapshot) => old } } };

/** A machine whose states are made up by the test. */
function machineOf(version: string, initial: string, states: object): LifecycleMachine {
  const config = { id: "shop", version, initial, states } as never;
  return setupLifecycle().createMachine(config);
}

function lifeAt(machine: LifecycleMachine, target: string): Life {
  const life = new Life(machine);
  life.observed = "Running";
  life.settle();
  life.ask(target);
  life.settle();
  return life;
}

describe("parallel regions in a new version", () => {
  const regions = (version: string, storage: string): LifecycleMachine =>
    setupLifecycle().createMachine({
      id: "shop",
      version,
      initial: "Running",
      states: {
        Running: {
          type: "parallel",
          states: {
            [storage]: {
              initial: "Small",
              states: { Small: { on: { "observed.Full": "Large" } }, Large: {} },
            },
            Traffic: {
              initial: "Open",
              states: { Open: { on: { "desired.Closed": "Closed" } }, Closed: {} },
            },
          },
        },
      },
    });

  it("stay where they are when only the other one got a new name", () => {
    const before = new Life(regions("1", "Disk"));
    before.observed = "Full";
    before.settle();
    expect(before.state).toBe("Running:Disk:Large,Running:Traffic:Open");
    const life = upgraded(before, regions("2", "Storage"), {
      options: { renames: { "Running:Disk": "Running:Storage" } },
    });
    life.observed = undefined;
    const plan = life.cycle();
    expect(life.state).toBe("Running:Storage:Large,Running:Traffic:Open");
    expect(plan.problems).toEqual([]);
    expect(plan.moved).toBeUndefined();
  });
});

describe("a history state in a new version", () => {
  const remembering = (version: string, care: string): LifecycleMachine =>
    setupLifecycle().createMachine({
      id: "shop",
      version,
      initial: "Running",
      states: {
        Running: {
          initial: "Cold",
          states: { Cold: { on: { "observed.Running": "Warm" } }, Warm: {}, Last: { type: "history" } },
          on: { "desired.Care": care, "desired.Nursing": care },
        },
        [care]: { on: { "desired.Running": "Running.Last" } },
      },
    });

  it("still remembers what was left, also under a new name", () => {
    const before = lifeAt(remembering("1", "Care"), "Care");
    expect(before.status?.snapshot.history).toEqual({ "Running:Last": ["Running:Warm"] });
    const life = upgraded(before, remembering("2", "Nursing"), { options: { renames: { Care: "Nursing" } } });
    life.observed = undefined;
    life.cycle();
    expect(life.state).toBe("Nursing");
    life.ask("Running");
    life.settle();
    expect(life.state).toBe("Running:Warm");
  });
});

describe("a timer in a new version", () => {
  const outer = (version: string, name: string): LifecycleMachine =>
    setupLifecycle().createMachine({
      id: "shop",
      version,
      initial: name,
      states: {
        [name]: {
          initial: "First",
          after: { "1h": "HumanIntervention" },
          states: { First: { on: { "observed.Running": "Second" } }, Second: {} },
        },
      },
    });

  it("keeps its instant when it belongs to a renamed state around the one that was entered last", () => {
    const before = new Life(outer("1", "Start"));
    before.settle();
    const [due] = Object.values(before.status?.timers ?? {}).map((timer) => timer.due);
    before.pass("40m");
    before.observed = "Running";
    before.settle();
    expect(before.state).toBe("Start:Second");
    const life = upgraded(before, outer("2", "Begin"), { options: { renames: { Start: "Begin" } } });
    life.cycle();
    expect(Object.values(life.status?.timers ?? {})).toEqual([{ state: "Begin", delay: "1h", due }]);
  });

  it("begins with the upgrade where its state is new, and with its state where that was there", () => {
    const before = new Life(machineOf("1", "Start", { Start: {} }));
    before.settle();
    const entered = before.now;
    before.pass("2h");
    const patience = { "3h": "HumanIntervention" };
    const first = {
      initial: "Look",
      after: patience,
      states: { Look: { after: { "1h": "Wait" } }, Wait: {} },
    };
    const life = upgraded(before, machineOf("2", "Start", { Start: first }), same);
    life.settle();
    expect(life.state).toBe("Start:Look");
    const dues = Object.fromEntries(
      Object.values(life.status?.timers ?? {}).map(({ state, due }) => [state, Date.parse(due)]),
    );
    expect(dues).toEqual({ Start: entered + 3 * 3_600_000, "Start:Look": life.now + 3_600_000 });
  });
});

describe("a task in a new version", () => {
  const working = (
    version: string,
    ...tasks: readonly (readonly [id: string, src: string])[]
  ): LifecycleMachine =>
    machineOf(version, "Running", {
      Running: { on: { "desired.Saving": "Saving" } },
      Saving: { invoke: tasks.map(([id, src]) => ({ id, src, onDone: "Running" })) },
    });

  it("is started under a key of its own where its id was another task's, which is cancelled", () => {
    const before = lifeAt(working("1", ["save", "backUp"]), "Saving");
    const old = before.task;
    const life = upgraded(before, working("2", ["save", "snapshot"]), same);
    life.settle();
    expect(life.cancels).toEqual([old.key]);
    expect(life.starts).toHaveLength(2);
    expect(new Set(life.starts).size).toBe(2);
    expect(life.status?.tasks).toEqual({
      save: expect.objectContaining({ src: "snapshot", phase: "Running" }),
    });
    expect(life.task.entry).toBeGreaterThan(old.entry);
    expect(life.status?.snapshot.entry).toBe(life.task.entry);
  });

  it("goes on when two have changed their ids with each other", () => {
    const before = lifeAt(working("1", ["a", "backUp"], ["b", "check"]), "Saving");
    const keys = Object.values(before.status?.tasks ?? {}).map(({ src, key }) => [src, key]);
    const life = upgraded(before, working("2", ["a", "check"], ["b", "backUp"]), same);
    life.settle();
    expect(life.starts).toHaveLength(2);
    expect(life.cancels).toEqual([]);
    expect(new Set(Object.values(life.status?.tasks ?? {}).map(({ src, key }) => `${src} ${key}`))).toEqual(
      new Set(keys.map((each) => each.join(" "))),
    );
  });

  it("that came with it has the deadline that any other has", () => {
    const before = lifeAt(working("1", ["save", "backUp"]), "Saving");
    const life = upgraded(before, working("2", ["save", "backUp"], ["check", "check"]), {
      ...same,
      policies: { check: { timeout: 3_600_000 } },
    });
    life.cycle();
    expect(Date.parse(life.status?.tasks["check"]?.deadline ?? "")).toBe(life.now + 3_600_000);
    const { deadline } = life.status?.tasks["check"] ?? {};
    life.pass("1m");
    life.cycle();
    expect(life.status?.tasks["check"]).toMatchObject({ deadline, phase: "Running" });
    expect(life.status?.tasks["save"]).toEqual(before.task);
  });

  it("that it does not have any more is told as one that may still run", () => {
    const before = lifeAt(working("1", ["save", "backUp"]), "Saving");
    const life = upgraded(before, working("2", ["check", "check"]), same);
    const plan = life.cycle();
    expect(plan.pendingEvents).toContainEqual({
      type: "Warning",
      reason: "TaskCancelled",
      message: `this version has no task "backUp", so ${before.task.key} cannot be ended: it may still be running`,
    });
  });

  it("of a later graph that an older one does not know is ended, and the target for it does not stay open for ever", () => {
    const before = lifeAt(working("2", ["save", "backUp"]), "Saving");
    const life = upgraded(before, working("1", ["store", "store"]));
    life.settle();
    expect(life.state).toBe("Running");
    expect(life.starts).toHaveLength(1);
    expect(life.status?.target).toMatchObject({ state: "Saving", outcome: "lost" });
    expect(life.condition.message).toContain("change spec.lifecycle.request to request it again");
  });
});

describe("a migration that names a state", () => {
  const saving = (version: string, save: object): LifecycleMachine =>
    machineOf(version, "Running", {
      Running: { on: { "observed.Down": "Down", "desired.Servicing": "Servicing" } },
      Down: {},
      Servicing: save,
    });
  const whole = { invoke: { id: "save", src: "backUp", onDone: "#shop.Running" } };
  const split = { initial: "Backup", states: { Backup: whole, Check: {} } };
  const to = (value: string): LifeOptions => ({
    options: { migrate: { "1": (old: MigratedSnapshot) => ({ ...old, value }) } },
  });

  it.each(["Servicing:Backup", "Servicing.Backup"])(
    "may write its path as %s: what runs goes on",
    (value) => {
      const before = lifeAt(saving("1", whole), "Servicing");
      const life = upgraded(before, saving("2", split), to(value));
      life.observed = "Down";
      const plan = life.cycle();
      expect(plan.problems).toEqual([]);
      expect(life.state).toBe("Servicing:Backup");
      expect(life.cancels).toEqual([]);
      expect(life.starts).toHaveLength(1);
    },
  );

  it("that there is not is told what to write", () => {
    const before = lifeAt(saving("1", whole), "Servicing");
    const life = upgraded(before, saving("2", split), to("Servicing/Backup"));
    const [problem] = life.cycle().problems;
    expect(problem?.message).toContain('leads to "Servicing/Backup", which is not a state');
    expect(problem?.remedy).toContain("Servicing:Backup");
    expect(problem?.remedy).not.toContain("report");
  });

  it("and that an older graph has not split keeps its task there", () => {
    const before = lifeAt(saving("2", split), "Servicing");
    expect(before.state).toBe("Servicing:Backup");
    const life = upgraded(before, saving("1", whole));
    life.settle();
    expect(life.state).toBe("Servicing");
    expect(life.cancels).toEqual([]);
    expect(life.starts).toHaveLength(1);
    life.finish();
    life.settle();
    expect(life.state).toBe("Running");
    expect(life.starts).toHaveLength(1);
  });

  it("and that an older graph has under another name keeps the task that only one state asks for", () => {
    const states = { Running: { on: { "desired.Saving": "Saving" } }, Saving: whole };
    const before = lifeAt(machineOf("2", "Running", states), "Saving");
    const life = upgraded(before, saving("1", whole));
    life.settle();
    expect(life.state).toBe("Servicing");
    expect(life.cancels).toEqual([]);
    expect(life.starts).toHaveLength(1);
  });
});

describe("a target that is refused on a resource that is new to the operator", () => {
  it("does not say that the application is ready", () => {
    const life = new Life(machineOf("1", "Running", { Running: {}, Paused: {} }));
    life.observed = "Running";
    life.ask("Nonsense");
    life.settle();
    expect(life.condition).toMatchObject({ status: "False" });
    expect(life.plans.map(({ health }) => health.ready.status)).not.toContain("True");
  });
});

describe("a task that is being compensated while its operator is replaced", () => {
  const working = (version: string, id: string): LifecycleMachine =>
    machineOf(version, "Working", {
      Working: { invoke: { id, src: "work", onDone: "Idle", onError: "Broken" } },
      Idle: {},
      Broken: {},
    });
  const work = { work: { attempts: 1, compensates: true } } as const;

  function failing(): Life {
    const life = new Life(working("1", "work"), { policies: work });
    life.settle();
    life.finish({ phase: "Failed", message: "no space" });
    life.cycle("beforeEffects");
    expect(life.task).toMatchObject({ phase: "Compensating", failure: "no space" });
    return life;
  }

  it("goes on under another id of its invoke, which its failure leads on", () => {
    const before = failing();
    const { key } = before.task;
    const life = upgraded(before, working("2", "job"), { ...same, policies: work });
    life.cycle("beforeEffects");
    expect(life.status?.tasks).toMatchObject({ job: { key, phase: "Compensating", failure: "no space" } });
    life.settle();
    expect(life.compensations).toEqual([key]);
    expect(life.starts).toEqual([key]);
    expect(life.state).toBe("Broken");
    expect(life.status?.last?.cause).toBe("job failed: no space");
  });

  it("goes on under its key where its state asks for it no more", () => {
    const before = failing();
    const { key } = before.task;
    const machine = machineOf("2", "Working", { Working: { after: { "1h": "Idle" } }, Idle: {}, Broken: {} });
    const life = upgraded(before, machine, same);
    life.settle();
    expect(life.compensations).toEqual([key]);
    expect(life.state).toBe("Working");
    expect(life.status?.tasks).toEqual({});
  });
});
