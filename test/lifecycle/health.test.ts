// Ready, Reconciling, Stalled, Degraded: from tags where the author gave some, from target and rest where not; still when nothing moves.
import { describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { healthConditionsOf } from "../../src/meta/health.ts";
import { databaseLifecycle } from "./database-lifecycle.ts";
import { Life } from "./life.ts";

/** The conditions of health after the last cycle, by type. */
function health(life: Life): Record<string, string> {
  const plan = life.plans.at(-1);
  const conditions = plan === undefined ? [] : healthConditionsOf(plan.health);
  return Object.fromEntries(conditions.map(({ type, status }) => [type, status]));
}

const healthy = { Ready: "True" };
const onItsWay = { Ready: "False", Reconciling: "True" };
const neither = { Ready: "False" };
const stalled = { Ready: "False", Stalled: "True" };

const tagged = setupLifecycle().createMachine({
  id: "tagged",
  version: "1",
  initial: "Start",
  states: {
    Start: { tags: ["Progressing"], on: { "observed.Up": "Up" } },
    Up: {
      tags: "READY",
      initial: "Fine",
      on: { "desired.Care": "Care", "desired.End": "End" },
      states: {
        Fine: { on: { "observed.Slow": "Slow" } },
        Slow: { tags: "Degraded", on: { "observed.Up": "Fine" } },
      },
    },
    Care: {
      tags: ["ready", "progressing"],
      invoke: { id: "care", src: "care", onDone: "Up", onError: "Up" },
    },
    End: { type: "final" },
  },
});

const sideBySide = setupLifecycle().createMachine({
  id: "sides",
  version: "1",
  initial: "Running",
  states: {
    Running: {
      type: "parallel",
      on: { "desired.End": "End" },
      states: {
        web: {
          initial: "Up",
          states: {
            Up: { tags: "ready", on: { "observed.WebDown": "Down" } },
            Down: { tags: "degraded", on: { "observed.WebUp": "Up" } },
          },
        },
        db: {
          initial: "Up",
          states: {
            Up: { tags: "ready", on: { "observed.DbDown": "Down" } },
            Down: { tags: "degraded", on: { "observed.DbUp": "Up" } },
          },
        },
        backup: { initial: "Idle", states: { Idle: {} } },
      },
    },
    End: { type: "final" },
  },
});

describe("the conditions of tagged states", () => {
  it("follow the tags of the state and of those around it, in any case", () => {
    const life = new Life(tagged);
    life.cycle();
    expect(health(life)).toEqual(onItsWay);
    life.observed = "Up";
    life.settle();
    expect(health(life)).toEqual(healthy);
    life.observed = "Slow";
    life.settle();
    expect(life.state).toBe("Up:Slow");
    expect(health(life)).toEqual({ ...healthy, Degraded: "True" });
    life.observed = "Up";
    life.ask("Care");
    life.settle();
    expect(health(life)).toEqual({ ...healthy, Reconciling: "True" });
  });

  it("have the state as their reason", () => {
    const life = new Life(tagged);
    life.observed = "Up";
    life.settle();
    expect(life.plans.at(-1)?.health).toEqual({
      ready: { status: "True", reason: "Up:Fine", message: "the application is ready in Up:Fine" },
    });
  });

  it("are ready when each region is that can be, and degraded when one is", () => {
    const life = new Life(sideBySide);
    life.settle();
    expect(health(life)).toEqual(healthy);
    life.observed = "DbDown";
    life.settle();
    expect(life.state).toBe("Running:web:Up,Running:db:Down,Running:backup:Idle");
    expect(health(life)).toEqual({ ...healthy, Ready: "False", Degraded: "True" });
    life.observed = "DbUp";
    life.settle();
    expect(health(life)).toEqual(healthy);
  });

  it("are not ready in a state without the tag", () => {
    const life = new Life(tagged);
    life.observed = "Up";
    life.settle();
    life.ask("End");
    life.settle();
    expect(health(life)).toEqual(neither);
  });
});

describe("the conditions of a lifecycle without tags", () => {
  it("are ready at rest as desired, progressing on the way, and neither at the end", () => {
    const life = new Life(databaseLifecycle);
    life.cycle();
    expect(health(life)).toEqual(onItsWay);
    life.observed = "Running";
    life.settle();
    expect(health(life)).toEqual(healthy);
    life.ask("Servicing");
    life.settle();
    expect(health(life)).toEqual(onItsWay);
    life.finish();
    life.settle();
    expect(health(life)).toEqual(healthy);
    life.ask("End");
    life.settle();
    life.finish();
    life.settle();
    expect(life.state).toBe("End");
    expect(health(life)).toEqual(neither);
  });

  it("are ready at rest also when the target was given up", () => {
    const life = new Life(databaseLifecycle);
    life.observed = "Running";
    life.settle();
    life.ask("Servicing");
    life.settle();
    life.send("abort");
    life.settle();
    expect(life.status?.target.outcome).toBe("aborted");
    expect(health(life)).toEqual(healthy);
  });

  it("are stalled where a person has turned back from a state to be maintained", () => {
    const life = new Life(
      setupLifecycle().createMachine({
        id: "moving",
        version: "1",
        initial: "Old",
        states: {
          Old: { on: { "desired.New": "Upgrading" } },
          Upgrading: { on: { "observed.New": "New", "human.abort": "Old" } },
          New: { on: { "desired.Old": "Old" } },
        },
      }),
    );
    life.ask("New");
    life.settle();
    expect(health(life)).toEqual(onItsWay);
    life.send("abort");
    life.settle();
    expect(health(life)).toEqual(stalled);
    life.ask("Old");
    life.settle();
    expect(health(life)).toEqual(healthy);
  });

  it("are degraded while manual intervention required", () => {
    const life = new Life(databaseLifecycle);
    life.settle();
    life.pass("1h");
    life.settle();
    expect(life.state).toBe("HumanIntervention");
    expect(health(life)).toEqual({ ...stalled, Degraded: "True" });
  });

  it("do not know whether it is ready while it cannot be observed", () => {
    const life = new Life(databaseLifecycle);
    life.observed = "Running";
    life.settle();
    life.observationError = "connection refused";
    life.cycle();
    expect(health(life)).toEqual({ ...healthy, Ready: "Unknown" });
  });

  it("do not know anything while nothing is stored that could be trusted and nothing is seen", () => {
    const life = new Life(databaseLifecycle);
    life.store("garbage");
    life.observationError = "connection refused";
    life.cycle();
    expect(health(life)).toEqual({ Ready: "Unknown", Reconciling: "True" });
  });

  it("are the same in every cycle of a settled application", () => {
    const life = new Life(databaseLifecycle);
    life.observed = "Running";
    life.settle();
    const { health: first } = life.cycle();
    life.pass("1h");
    expect(life.cycle().health).toEqual(first);
  });
});
