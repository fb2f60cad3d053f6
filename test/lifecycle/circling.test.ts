import { describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import type { CyclePlan } from "../../src/lifecycle/cycle-plan.ts";
import { cycleLevels, lifecycleLogic, statusChanged } from "../../src/lifecycle/lifecycle-logic.ts";
import { readStatus } from "../../src/lifecycle/stored/read-status.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { beginPure } from "../../src/statechart/pure-logic.ts";
import { Life } from "./life.ts";

const circle = setupLifecycle().createMachine({
  id: "circle",
  version: "1",
  initial: "Start",
  states: {
    Start: { on: { "observed.Up": "Left" } },
    Left: { on: { "observed.Up": "Right" } },
    Right: { on: { "observed.Up": "Left", "observed.Calm": "Calm" } },
    Calm: { on: { "observed.Up": "Start" } },
  },
});

/** The cycles of one run: each state that is passed through is given to those after it. */
function run(life: Life, limit = 20): readonly CyclePlan[] {
  const passed: string[] = [];
  const plans: CyclePlan[] = [];
  for (let cycle = 0; cycle < limit; cycle += 1) {
    const plan = life.cycle(undefined, passed);
    plans.push(plan);
    if (plan.passing === undefined) return plans;
    passed.push(plan.passing);
  }
  throw new Error("the run does not end");
}

describe("cycles that follow each other at once", () => {
  it("end where the graph would lead back to where they were, with what closes the circle named", () => {
    const life = new Life(circle);
    life.observed = "Up";
    const last = run(life).at(-1);
    expect(life.path).toEqual(["Start", "Left", "Right"]);
    expect(last).toMatchObject({ requeueAfter: 60_000, problem: { reason: "LifecycleCircling" } });
    expect(last?.problem?.message).toMatch(/^the move Right → Left by observed\.Up is not made: .*circle/);
    expect(last?.health.stalled?.message).toContain("Right → Left");
  });

  it("go on when something else is observed", () => {
    const life = new Life(circle);
    life.observed = "Up";
    run(life);
    life.observed = "Calm";
    const plans = run(life);
    expect(life.path).toEqual(["Start", "Left", "Right", "Calm"]);
    expect(plans.at(-1)?.problem).toBeUndefined();
  });

  it("work out neither digest nor texts for people but of what is stored", () => {
    const life = new Life(circle);
    life.observed = "Up";
    const isWorkedOut = (object: object | undefined, name: string): boolean =>
      Object.getOwnPropertyDescriptor(object, name)?.get === undefined;
    const workedOut = (plan: CyclePlan): boolean[] => [
      isWorkedOut(plan.status, "digest"),
      isWorkedOut(plan.condition, "message"),
      isWorkedOut(plan, "health"),
    ];
    const actor = beginPure(lifecycleLogic(life.lifecycle), life.input(), {
      id: "lifecycle",
      clock: systemClock,
    });
    const plans: CyclePlan[] = [];
    for (const passed of [[], ["once"], ["once", "twice"]]) {
      const { status, condition } = plans.at(-1) ?? {};
      const conditions = condition === undefined ? [] : [condition];
      const input = { ...life.input(), conditions, passed, status };
      if (status !== undefined) actor.send(statusChanged(input));
      actor.send(cycleLevels(input, (text) => text));
      const { plan } = actor.state;
      if (plan !== undefined) plans.push(plan);
    }
    expect(plans.map(({ status }) => status?.state)).toEqual(["Start", "Left", "Right"]);
    expect(plans.flatMap(workedOut)).not.toContain(true);
    const [, , last] = plans;
    expect(readStatus(JSON.parse(JSON.stringify(last?.status)))).toMatchObject({
      edited: false,
      damaged: [],
    });
    actor.stop();
  });

  it("do not take a count for a circle", () => {
    const counting = setupLifecycle()
      .extend({
        guards: { isEnough: ({ context }) => Number(context["count"]) >= 3 },
        actions: { count: ({ context }) => ({ count: Number(context["count"]) + 1 }) },
      })
      .createMachine({
        id: "counting",
        version: "1",
        context: { count: 0 },
        initial: "Left",
        states: {
          Left: { on: { "observed.Up": [{ guard: "isEnough", target: "Done" }, { target: "Right" }] } },
          Right: { on: { "observed.Up": { target: "Left", actions: "count" } } },
          Done: { tags: ["stable"] },
        },
      });
    const life = new Life(counting);
    life.observed = "Up";
    const plans = run(life);
    expect(life.state).toBe("Done");
    expect(plans.at(-1)?.problem).toBeUndefined();
  });

  it("are none where a task starts, a human event is taken or the end is reached: that is persisted first", () => {
    const life = new Life(
      setupLifecycle().createMachine({
        id: "working",
        version: "1",
        initial: "Start",
        states: {
          Start: { on: { "observed.Up": "Work", "human.skip": "Up" } },
          Work: { invoke: { id: "work", src: "work", onDone: "Up", onError: "Start" } },
          Up: { on: { "desired.End": "End" } },
          End: { type: "final" },
        },
      }),
    );
    expect(life.cycle().passing).toBeDefined();
    const fork = life.fork();
    fork.send("skip");
    expect(fork.cycle()).toMatchObject({ moved: { to: "Up" } });
    expect(fork.plans.at(-1)?.passing).toBeUndefined();
    life.observed = "Up";
    expect(life.cycle()).toMatchObject({ moved: { to: "Work" }, effects: [{ kind: "startTask" }] });
    expect(life.plans.at(-1)?.passing).toBeUndefined();
    fork.ask("End");
    const end = fork.settle().find(({ moved }) => moved?.to === "End");
    expect(end).toMatchObject({ ended: true });
    expect(end?.passing).toBeUndefined();
  });
});
