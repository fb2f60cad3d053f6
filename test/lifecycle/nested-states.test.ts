// States in states, states side by side, and states that remember.
import { describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { restoreLifecycle } from "../../src/lifecycle/stored/restore.ts";
import { Life } from "./life.ts";

const nested = setupLifecycle().createMachine({
  id: "nested",
  version: "1",
  initial: "Running",
  states: {
    Running: { on: { "desired.Servicing": "Servicing", "desired.End": "End" } },
    Servicing: {
      initial: "BackingUp",
      states: {
        BackingUp: { invoke: { id: "backup", src: "backUp", onDone: "Verifying", onError: "Failed" } },
        Verifying: { invoke: { id: "verify", src: "verify", onDone: "Finished", onError: "Failed" } },
        Failed: { on: { "human.retry": "BackingUp" } },
        Finished: { type: "final" },
      },
      onDone: "Running",
    },
    End: { type: "final" },
  },
});

const regions = setupLifecycle().createMachine({
  id: "regions",
  version: "1",
  initial: "Running",
  states: {
    Running: {
      type: "parallel",
      on: { "desired.End": "End" },
      states: {
        web: {
          initial: "Up",
          states: { Up: { on: { "observed.WebDown": "Down" } }, Down: { on: { "observed.WebUp": "Up" } } },
        },
        db: {
          initial: "Idle",
          states: {
            Idle: { on: { "desired.Running:db:Copying": "Copying" } },
            Copying: { invoke: { id: "copy", src: "copy", onDone: "Idle", onError: "Idle" } },
          },
        },
      },
    },
    End: { type: "final" },
  },
});

const remembering = setupLifecycle().createMachine({
  id: "remembering",
  version: "1",
  initial: "Working",
  states: {
    Working: {
      initial: "One",
      states: {
        One: { on: { "observed.Two": "Two" } },
        Two: {},
        Before: { type: "history" },
      },
      on: { "human.pause": "Paused" },
    },
    Paused: { on: { "human.resume": "Working.Before" } },
  },
});

describe("a state within a state", () => {
  it("is named with colons in the condition's reason, and restored from it", () => {
    const life = new Life(nested);
    life.settle();
    life.ask("Servicing");
    life.settle();
    expect(life.condition.reason).toBe("Servicing:BackingUp");
    const alone = restoreLifecycle(life.lifecycle, {
      status: undefined,
      conditions: life.conditions,
      uid: "u",
    });
    expect(alone.position?.leaves).toEqual(["Servicing:BackingUp"]);
  });

  it("reaches a target for the outer one when its inner states are through", () => {
    const life = new Life(nested);
    life.settle();
    life.ask("Servicing");
    life.settle();
    life.finish();
    life.settle();
    expect(life.state).toBe("Servicing:Verifying");
    expect(life.status?.target.reached).toBe(false);
    life.finish();
    life.settle();
    expect(life.state).toBe("Running");
    expect(life.status?.target.reached).toBe(true);
    expect(life.starts).toHaveLength(2);
  });

  it("may be desired by its path, or as a whole", () => {
    const { lifecycle } = new Life(nested);
    expect(lifecycle.desirable).toEqual(["Running", "Servicing", "End"]);
    expect(lifecycle.defaultDesiredState).toBe("Running");
  });
});

describe("states side by side", () => {
  it("move on their own, all of them named in the reason", () => {
    const life = new Life(regions);
    life.settle();
    expect(life.condition.reason).toBe("Running:web:Up,Running:db:Idle");
    life.observed = "WebDown";
    life.settle();
    expect(life.condition.reason).toBe("Running:web:Down,Running:db:Idle");
  });

  it("have one condition each", () => {
    const life = new Life(regions);
    life.settle();
    life.ask("Running:db:Copying");
    const plan = life.settle().at(-1);
    expect(life.state).toBe("Running:web:Up,Running:db:Copying");
    expect(plan?.regions).toMatchObject([
      { type: "Lifecycle.Running.web", status: "True", reason: "Up" },
      { type: "Lifecycle.Running.db", status: "False", reason: "Copying" },
    ]);
    life.ask("End");
    life.settle();
    expect(life.plans.at(-1)?.regions).toEqual([]);
  });

  it("keep a task when its neighbour moves", () => {
    const life = new Life(regions);
    life.settle();
    life.ask("Running:db:Copying");
    life.settle();
    const { key } = life.task;
    life.observed = "WebDown";
    life.settle();
    expect(life.state).toBe("Running:web:Down,Running:db:Copying");
    expect(life.task).toMatchObject({ key, phase: "Running" });
    expect(life.cancels).toEqual([]);
    life.finish();
    life.settle();
    expect(life.status?.target.reached).toBe(true);
    expect(life.starts).toEqual([key]);
  });

  it("are restored from the reason alone", () => {
    const life = new Life(regions);
    life.observed = "WebDown";
    life.settle();
    life.store(undefined);
    life.cycle();
    expect(life.state).toBe("Running:web:Down,Running:db:Idle");
  });
});

describe("a state that remembers", () => {
  it("leads back to where it was, also after a restart", () => {
    const life = new Life(remembering);
    life.observed = "Two";
    life.settle();
    expect(life.state).toBe("Working:Two");
    life.observed = undefined;
    life.send("pause");
    life.settle();
    expect(life.status?.snapshot.history).toEqual({ "Working:Before": ["Working:Two"] });
    life.send("resume");
    life.settle();
    expect(life.state).toBe("Working:Two");
  });

  it("leads to its default when what it remembered is damaged", () => {
    const life = new Life(remembering);
    life.observed = "Two";
    life.settle();
    life.observed = undefined;
    life.send("pause");
    life.settle();
    const history = { "Working:Before": ["Gone"] };
    life.store({ ...life.status, snapshot: { ...life.status?.snapshot, history }, digest: undefined });
    life.send("resume");
    life.settle();
    expect(life.state).toBe("Working:One");
  });
});
