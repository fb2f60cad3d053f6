// From one version of a graph to the next, and the one after: what is stored is carried over, nothing is done twice.
import { describe, expect, it } from "vitest";
import { setupLifecycle, type LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import type { LifecycleOptions } from "../../src/lifecycle/graph/compile-lifecycle.ts";
import { migrationPath, type MigratedSnapshot } from "../../src/lifecycle/graph/migrate.ts";
import { Life } from "./life.ts";

const first = setupLifecycle().createMachine({
  id: "shop",
  version: "1",
  initial: "Start",
  states: {
    Start: { on: { "observed.Running": "Running" }, after: { "1h": "HumanIntervention" } },
    Running: { on: { "desired.Servicing": "Servicing", "desired.Paused": "Paused", "desired.End": "End" } },
    Paused: { on: { "desired.Running": "Running" } },
    Servicing: {
      initial: "Saving",
      states: { Saving: { invoke: { id: "backup", src: "backUp", onDone: "#shop.Running" } } },
      on: { "human.abort": "Running" },
    },
    End: { type: "final" },
  },
});

const third = setupLifecycle().createMachine({
  id: "shop",
  version: "3",
  initial: "Start",
  context: { upgrades: 0 },
  states: {
    Start: { on: { "observed.Running": "Online" }, after: { "1h": "HumanIntervention" } },
    Online: { on: { "desired.Saving": "Saving", "desired.End": "End" } },
    Saving: {
      invoke: { id: "save", src: "backUp", onDone: "Checking", onError: "HumanIntervention" },
      on: { "human.abort": "Online" },
    },
    Checking: { invoke: { id: "check", src: "check", onDone: "Online", onError: "HumanIntervention" } },
    End: { type: "final" },
  },
});

const counted = (old: MigratedSnapshot): MigratedSnapshot => {
  const { upgrades } = old.context;
  return { value: old.value, context: { upgrades: (typeof upgrades === "number" ? upgrades : 0) + 1 } };
};

const renames = {
  Running: "Serving",
  Serving: "Online",
  Paused: "Serving",
  "Servicing:Saving": "Saving",
  Servicing: "Saving",
};

const toThird: LifecycleOptions = { renames, migrate: { "1": counted, "2": counted } };

/** The same resource under another version of its operator. */
function upgraded(before: Life, machine: LifecycleMachine, options: LifecycleOptions = {}): Life {
  const life = new Life(machine, { options });
  const { status, conditions, generation, now, desired, observed } = before;
  Object.assign(life, { status, conditions, generation, now, desired, observed });
  for (const each of before.running) life.running.set(...each);
  life.starts.push(...before.starts);
  return life;
}

function running(): Life {
  const life = new Life(first);
  life.observed = "Running";
  life.settle();
  return life;
}

function servicing(request?: string): Life {
  const life = running();
  life.ask("Servicing", request);
  life.settle();
  expect(life.state).toBe("Servicing:Saving");
  return life;
}

describe("the way of a snapshot through versions", () => {
  it.each([
    [["1", "2"], "1", "3", ["1", "2"]],
    [["2", "1"], "1", "3", ["1", "2"]],
    [["1", "2"], "2", "3", ["2"]],
    [["1.10", "1.9", "1.2"], "1.9", "2", ["1.9", "1.10"]],
    [["1", "2", "3"], "1", "3", ["1", "2"]],
    [["1", "3"], "3", "2", ["3"]],
    [["3", "4"], "4", "2", ["4", "3"]],
  ])("leads through %j from %s to %s by %j", (listed, from, to, path) => {
    expect(migrationPath(listed, from, to)).toEqual(path);
  });

  it("goes by each function once, in order", () => {
    const life = upgraded(running(), third, toThird);
    life.cycle();
    expect(life.state).toBe("Online");
    expect(life.status?.snapshot).toMatchObject({ graph: "shop@3", context: { upgrades: 2 } });
  });

  it("ends where a function in the middle spoils it, and says so", () => {
    const spoilt = { "1": () => ({ value: "" }) as never, "2": counted };
    const life = upgraded(running(), third, { migrate: spoilt });
    life.observed = undefined;
    const plan = life.cycle();
    expect(life.state).toBe("HumanIntervention");
    expect(plan.problems[0]?.message).toContain('leads to "", which is not a state');
  });

  it("leads back, where the author says how", () => {
    const back = { "3": () => ({ value: "Running", context: {} }) };
    const life = upgraded(upgraded(running(), third, toThird), first, { migrate: back });
    life.observed = undefined;
    life.cycle();
    expect(life.state).toBe("Running");
  });
});

describe("a renamed state", () => {
  it("needs no migration", () => {
    const life = upgraded(running(), third, { renames });
    life.observed = undefined;
    life.cycle();
    expect(life.state).toBe("Online");
    expect(life.plans[0]?.moved).toBeUndefined();
    expect(life.plans[0]?.problems).toEqual([]);
  });

  it("comes with the states inside it", () => {
    const outer = setupLifecycle().createMachine({
      id: "shop",
      version: "2",
      initial: "Running",
      states: {
        Running: { on: { "desired.Care": "Care" } },
        Care: {
          initial: "Saving",
          states: { Saving: { invoke: { id: "backup", src: "backUp", onDone: "#shop.Running" } } },
        },
      },
    });
    const life = upgraded(servicing(), outer, { renames: { Servicing: "Care" } });
    life.settle();
    expect(life.state).toBe("Care:Saving");
    expect(life.starts).toHaveLength(1);
  });

  it("is what a target for its old name means, and that target stays the same", () => {
    const before = running();
    before.ask("Running");
    before.settle();
    const life = upgraded(before, third, { renames });
    const plan = life.cycle();
    expect(life.status?.target).toMatchObject({ state: "Online", asked: "Running", reached: true });
    expect(plan.pendingEvents.map(({ reason }) => reason)).not.toContain("TargetAccepted");
    life.ask("Online");
    life.cycle();
    expect(life.status?.target).toEqual({ state: "Online", generation: 1, reached: true });
  });

  it("that was asked for and done is not done again, under neither name", () => {
    const before = servicing("nightly");
    before.finish();
    before.settle();
    expect(before.status?.target).toMatchObject({ state: "Servicing", reached: true });
    const life = upgraded(before, third, toThird);
    for (let round = 0; round < 5; round += 1) life.cycle();
    const back = upgraded(life, first);
    life.ask("Saving", "nightly");
    for (let round = 0; round < 5; round += 1) life.cycle();
    expect(life.starts).toHaveLength(1);
    expect(life.condition).toMatchObject({ status: "True", reason: "Online" });
    for (let round = 0; round < 5; round += 1) back.cycle();
    expect(back.state).toBe("Running");
  });

  it("may be desired by its old name, which the CRD accepts, unless the name is in use again", () => {
    const { lifecycle } = new Life(third, { options: { renames: { ...renames, Checking: "Online" } } });
    expect(lifecycle.aliases).toEqual({
      Running: "Online",
      Serving: "Online",
      Paused: "Online",
      Servicing: "Saving",
      "Servicing:Saving": "Saving",
    });
  });

  it("that became a part of a state that is done once is desired as a target for the whole", () => {
    const whole = (data: "transient" | "stable"): LifecycleMachine =>
      setupLifecycle().createMachine({
        id: "shop",
        version: "2",
        initial: "Running",
        states: {
          Running: { on: { "desired.Work": "Work" } },
          Work: {
            tags: [data],
            initial: "Saving",
            states: {
              Saving: { invoke: { id: "backup", src: "backUp", onDone: "Checking" } },
              Checking: { invoke: { id: "check", src: "check", onDone: "#shop.Running" } },
            },
          },
        },
      });
    const inPart = { renames: { Servicing: "Work:Saving", "Servicing:Saving": "Work:Saving" } };
    const before = servicing("nightly");
    const life = upgraded(before, whole("transient"), inPart);
    expect(life.lifecycle.aliases).toEqual({ Servicing: "Work", "Servicing:Saving": "Work" });
    life.settle();
    expect(life.state).toBe("Work:Saving");
    expect(life.status?.target).toMatchObject({ state: "Work", asked: "Servicing", request: "nightly" });
    life.finish();
    life.settle();
    expect(life.status).toMatchObject({ state: "Work:Checking", target: { reached: false } });
    life.finish();
    life.settle();
    expect(life.status).toMatchObject({ state: "Running", target: { state: "Work", reached: true } });
    expect(life.starts).toHaveLength(2);
    life.settle();
    expect(life.starts).toHaveLength(2);
    life.ask("Servicing", "weekly");
    life.settle();
    expect(life.status).toMatchObject({ state: "Work:Saving", target: { state: "Work", reached: false } });
    expect(life.plans.flatMap(({ problems }) => problems)).toEqual([]);
    // What is maintained would be reached without that part of it.
    expect(upgraded(before, whole("stable"), inPart).lifecycle.aliases).toEqual({});
  });

  it("ends the search also where names lead in a circle", () => {
    const life = upgraded(running(), third, { renames: { Running: "A", A: "Running" } });
    life.observed = undefined;
    life.cycle();
    expect(life.state).toBe("HumanIntervention");
  });
});

describe("a task under way during an upgrade", () => {
  it("goes on under the id that the new graph gives it, and is not started again", () => {
    const before = servicing();
    const life = upgraded(before, third, toThird);
    life.settle();
    expect(life.state).toBe("Saving");
    expect(life.status?.tasks).toEqual({
      save: expect.objectContaining({ key: before.task.key, src: "backUp" }),
    });
    expect(life.cancels).toEqual([]);
    life.finish();
    life.settle();
    expect(life.state).toBe("Checking");
    life.finish();
    life.settle();
    expect(life.condition).toMatchObject({ status: "True", reason: "Online" });
    expect(life.starts).toHaveLength(2);
  });

  it("is looked for when its record is damaged besides", () => {
    const before = servicing();
    before.store({ ...before.status, tasks: {} });
    const life = upgraded(before, third, toThird);
    life.settle();
    expect(life.starts).toHaveLength(1);
    expect(life.condition.message).toContain("it may have run");
  });
});

describe("a timer during an upgrade", () => {
  it("elapses when it would have, also in a state with a new name", () => {
    const renamed = setupLifecycle().createMachine({
      id: "shop",
      version: "2",
      initial: "Begin",
      states: {
        Begin: { on: { "observed.Running": "Running" }, after: { "1h": "HumanIntervention" } },
        Running: {},
      },
    });
    const before = new Life(first);
    before.settle();
    before.pass("50m");
    const life = upgraded(before, renamed, { renames: { Start: "Begin" } });
    life.cycle();
    life.pass("9m");
    life.cycle();
    expect(life.state).toBe("Begin");
    life.pass("2m");
    life.cycle();
    expect(life.state).toBe("HumanIntervention");
  });
});

describe("a downgrade", () => {
  it("goes by what is observed, and says so", () => {
    const after = upgraded(running(), third, toThird);
    after.settle();
    const life = upgraded(after, first);
    const plan = life.cycle();
    expect(life.state).toBe("Running");
    expect(plan.pendingEvents.map(({ message }) => message)).toContain(
      "the snapshot is of shop@3, the lifecycle is shop@1",
    );
    expect(life.status?.last).toMatchObject({ event: "restore" });
    expect(life.starts).toEqual([]);
  });
});
