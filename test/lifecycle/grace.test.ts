// The grace of a state: how long an application may be in transition there, as a timer that survives everything.
import { describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { healthConditionsOf } from "../../src/meta/health.ts";
import { Life } from "./life.ts";

const slow = setupLifecycle().createMachine({
  id: "slow",
  version: "1",
  initial: "Start",
  states: {
    Start: {
      meta: { grace: "10m" },
      initial: "Pulling",
      on: { "observed.Up": "Up" },
      states: { Pulling: { on: { "observed.Pulled": "Booting" } }, Booting: {} },
    },
    Up: { meta: { grace: "5m" }, on: { "observed.Down": "Start", "desired.Asleep": "Falling" } },
    Falling: { on: { "observed.Asleep": "Asleep" } },
    Asleep: { on: { "desired.Up": "Start" } },
  },
});

function health(life: Life): Record<string, string> {
  const plan = life.plans.at(-1);
  return Object.fromEntries(
    (plan === undefined ? [] : healthConditionsOf(plan.health)).map(({ type, status }) => [type, status]),
  );
}

const inTime = { Ready: "False", Reconciling: "True" };
const late = { ...inTime, Degraded: "True" };
const tooLate = { Ready: "False", Stalled: "True", Degraded: "True" };

describe("a state that has a grace", () => {
  it("is degraded after it and stalled after twice as long, without a move, and wakes up for both", () => {
    const life = new Life(slow, { observationPoll: 0 });
    life.settle();
    expect(health(life)).toEqual(inTime);
    life.pass("10m");
    life.now -= 1;
    expect(life.cycle().requeueAfter).toBe(1);
    expect(health(life)).toEqual(inTime);
    life.now += 1;
    const { pendingEvents, health: degraded, moved } = life.cycle();
    expect(health(life)).toEqual(late);
    expect(degraded.degraded?.message).toBe(
      "Start takes longer than its grace, which ended at 2026-01-01T00:10:00.000Z",
    );
    expect(pendingEvents).toEqual([
      { type: "Warning", reason: "GraceEnded", message: degraded.degraded?.message },
    ]);
    const known = life.conditions;
    life.pass("9m");
    expect(life.cycle().pendingEvents).toEqual([]);
    expect(life.conditions).toBe(known);
    life.pass("1m");
    expect(life.cycle().pendingEvents).toMatchObject([{ reason: "GraceEnded" }]);
    expect(health(life)).toEqual(tooLate);
    expect(life.plans.at(-1)?.health.stalled?.message).toMatch(/^Start takes longer than twice its grace/);
    expect(moved).toBeUndefined();
    expect(life.path).toEqual(["Start:Pulling"]);
  });

  it("counts on through the states inside it, a crash, a restart and a clock that is set back", () => {
    const life = new Life(slow);
    life.settle();
    life.pass("6m");
    life.observed = "Pulled";
    life.cycle("beforeEffects");
    expect(life.state).toBe("Start:Booting");
    life.now -= 3_600_000;
    life.cycle();
    life.pass("10m");
    life.cycle();
    expect(health(life)).toEqual(late);
    const restarted = new Life(slow);
    Object.assign(restarted, { status: life.status, conditions: life.conditions, now: life.now });
    restarted.cycle();
    expect(health(restarted)).toEqual(late);
    restarted.pass("10m");
    restarted.cycle();
    expect(health(restarted)).toEqual(tooLate);
  });

  it("is over when the application leaves it, and healthy at once", () => {
    const life = new Life(slow);
    life.settle();
    life.pass("1h");
    life.cycle();
    expect(health(life)).toEqual(tooLate);
    life.observed = "Up";
    life.settle();
    expect(health(life)).toEqual({ Ready: "True" });
    expect(life.status?.timers).toEqual({});
  });

  it("does not run where the application rests as desired, and begins when it leaves that", () => {
    const life = new Life(slow);
    life.observed = "Up";
    life.settle();
    life.pass("24h");
    life.cycle();
    expect(health(life)).toEqual({ Ready: "True" });
    expect(life.status?.timers).toEqual({});
    life.observed = "Down";
    life.settle();
    life.pass("9m");
    life.cycle();
    expect(health(life)).toEqual(inTime);
  });

  it("stands still while the application is paused", () => {
    const life = new Life(slow);
    life.settle();
    life.pass("9m");
    life.send("pause");
    life.settle();
    life.pass("24h");
    life.send("resume");
    life.settle();
    expect(health(life)).toEqual(inTime);
    life.pass("1m");
    life.cycle();
    expect(health(life)).toEqual(late);
  });

  it("goes on under the state's new name in the next version of the graph", () => {
    const life = new Life(slow);
    life.settle();
    life.pass("6m");
    const renamed = setupLifecycle().createMachine({
      id: "slow",
      version: "2",
      initial: "Beginning",
      states: {
        Beginning: { meta: { grace: "10m" }, on: { "observed.Up": "Up" } },
        Up: { on: { "observed.Down": "Beginning" } },
      },
    });
    const next = new Life(renamed, {
      options: { renames: { Start: "Beginning", "Start:Pulling": "Beginning" } },
    });
    Object.assign(next, { status: life.status, conditions: life.conditions, now: life.now });
    next.cycle();
    expect(next.state).toBe("Beginning");
    next.pass("4m");
    next.cycle();
    expect(health(next)).toEqual(late);
  });

  it("is never longer than drawn, and at an end by deletion degrades without stalling", () => {
    const ending = setupLifecycle().createMachine({
      id: "ending",
      version: "1",
      initial: "Start",
      states: {
        Start: { on: { "observed.Up": "Up", "desired.End": "Ending" } },
        Up: { on: { "desired.End": "Ending", "observed.Down": "Start" } },
        Ending: { meta: { grace: "1m" }, on: { "observed.Gone": "End" } },
        End: { type: "final" },
      },
    });
    const life = new Life(ending);
    life.settle();
    life.deleting = true;
    life.settle();
    life.pass("5m");
    life.cycle();
    expect(health(life)).toEqual(late);
  });
});
