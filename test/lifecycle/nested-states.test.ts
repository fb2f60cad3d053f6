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

/** A life in which Servicing has states inside; it begins in Start, and is at home in Running. */
function withServicing(servicing: object): Life {
  const life = new Life(
    setupLifecycle().createMachine({
      id: "serviced",
      version: "1",
      initial: "Start",
      states: {
        Start: { on: { "observed.Up": "Running" } },
        Running: { on: { "observed.Down": "Start", "desired.Servicing": "Servicing" } },
        Servicing: servicing,
      },
    }),
  );
  life.observed = "Up";
  life.settle();
  return life;
}

const copying = {
  tags: "transient",
  invoke: { id: "copy", src: "copy", onDone: "Resting", onError: "Resting" },
};

describe("work in a state within a state, with the tag transient", () => {
  const back = { "observed.Idle": "#serviced.Running" };
  it.each([
    [
      "out of the work",
      {
        initial: "Copying",
        states: { Copying: { ...copying, invoke: { id: "copy", src: "copy" }, on: back } },
      },
    ],
    ["after the work", { initial: "Copying", states: { Copying: copying, Resting: { on: back } } }],
    ["around the work", { initial: "Copying", states: { Copying: copying, Resting: {} }, on: back }],
    [
      "after work that is begun later",
      {
        initial: "Waiting",
        states: { Waiting: { after: { 60000: "Copying" } }, Copying: copying, Resting: { on: back } },
      },
    ],
    [
      "beside the work",
      {
        type: "parallel",
        states: {
          Left: { initial: "Copying", states: { Copying: copying, Resting: {} } },
          Right: { initial: "Looking", states: { Looking: {} } },
        },
        on: back,
      },
    ],
  ])("is done once for a request, where an observation leads back %s", (_, servicing) => {
    const life = withServicing(servicing);
    life.ask("Servicing");
    life.settle();
    life.now += 60_000;
    life.settle();
    life.finish();
    life.settle();
    life.observed = "Idle";
    for (let minutes = 0; minutes < 60; minutes += 10, life.now += 600_000) life.settle();
    expect(life.state).toBe("Running");
    expect(life.status?.target).toMatchObject({ state: "Servicing", reached: true });
    expect(life.starts).toHaveLength(1);
  });

  it("leaves a state maintained that the application comes back to, or that has the tag stable", () => {
    const states = { Copying: copying, Resting: {} };
    const { lifecycle } = withServicing({ initial: "Copying", states, on: { "observed.Down": "Start" } });
    expect(lifecycle.roles.states.get("Servicing")?.role).toBe("stable");
    const on = { "observed.Idle": "Running" };
    const tagged = withServicing({ tags: "stable", initial: "Copying", states, on }).lifecycle;
    expect(tagged.roles.states.get("Servicing")?.role).toBe("stable");
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
