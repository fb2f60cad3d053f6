// What a plan may be made of: edges that can be counted on, and nothing that would be to hope for a failure.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { setupLifecycle, type LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import { desirableFrom } from "../../src/kinds/desired-state-rules.ts";
import { checkLifecycle } from "../../src/lifecycle/checks/check-lifecycle.ts";
import { compileLifecycle } from "../../src/lifecycle/graph/compile-lifecycle.ts";
import { relianceOf } from "../../src/lifecycle/graph/reliance.ts";
import { planToTarget } from "../../src/lifecycle/targets/path-to-target.ts";
import { parseLeaves } from "../../src/statechart/configuration.ts";
import { build, drawnState, nameOf, names, nextInstant, progressFrom, target } from "./drawn-lifecycle.ts";
import { Life } from "./life.ts";

const machine = (states: object, initial = "Start"): LifecycleMachine =>
  setupLifecycle().createMachine({
    id: "drawn",
    version: "1",
    initial,
    states,
  } as never);

function plan(states: object, from: string, to: string): readonly string[] | undefined {
  const lifecycle = compileLifecycle(machine(states));
  const target = { state: to, generation: 1, reached: false };
  return planToTarget(lifecycle, target, [from])?.map(({ edge }) => edge.event);
}

function reliances(states: object): Record<string, string> {
  const lifecycle = compileLifecycle(machine(states));
  return Object.fromEntries(
    lifecycle.index.graph.edges
      .filter(({ source }) => source !== "HumanIntervention")
      .map((edge) => [`${edge.source} ${edge.event}`, relianceOf(lifecycle, edge)]),
  );
}

describe("the edges that a plan is made of", () => {
  it("are those of the operator, of tasks that succeed, of the graph, and of what the application does anyway", () => {
    const states = {
      Start: { on: { "observed.Ready": "Running", "observed.Broken": "HumanIntervention" } },
      Running: { on: { "desired.Closed": "Closing", "observed.Down": "Start", "observed.Odd": "Closing" } },
      Closing: { on: { "observed.Gone": "Closed" } },
      Closed: {
        on: { "desired.Running": "Opening", "observed.Running": "Running", "human.open": "Opening" },
      },
      Opening: { invoke: { id: "open", src: "open", onDone: "Deciding", onError: "Closed" } },
      Deciding: { always: "Running" },
    };
    expect(reliances(states)).toEqual({
      "Start observed.Ready": "sure",
      "Start observed.Broken": "unexpected",
      "Running desired.Closed": "sure",
      "Running observed.Down": "unexpected",
      "Running observed.Odd": "unexpected",
      "Closing observed.Gone": "sure",
      "Closed desired.Running": "sure",
      "Closed observed.Running": "sure",
      "Closed human.open": "person",
      "Opening done.open": "sure",
      "Opening error.open": "unexpected",
      "Deciding always": "sure",
    });
  });

  it("have a timer where nothing else leads on, and not where it is the deadline of something", () => {
    const states = {
      Start: { on: { "observed.Running": "Running" }, after: { "10m": "Late" } },
      Running: { on: { "desired.Late": "Cooling" } },
      Cooling: { after: { "5m": "Late" }, on: { "observed.Down": "Start", "human.hurry": "Late" } },
      Late: { invoke: { id: "look", src: "look", onDone: "Running" }, after: { "1m": "Outer" } },
      Outer: {
        initial: "Inner",
        after: { "2h": "Late" },
        states: {
          Inner: { after: { "1m": "Last" } },
          Last: { invoke: { id: "end", src: "end", onDone: "#drawn.Running" } },
        },
      },
    };
    expect(reliances(states)).toMatchObject({
      "Start after.10m": "unexpected",
      "Cooling after.5m": "sure",
      "Late after.1m": "unexpected",
      "Outer after.2h": "unexpected",
      "Outer:Inner after.1m": "sure",
    });
  });
});

describe("a plan", () => {
  const approval = {
    Start: { on: { "observed.Running": "Running" } },
    Running: { on: { "desired.Bigger": "Asking", "desired.Closed": "Closed" } },
    Asking: { on: { "human.approve": "Growing", "human.refuse": "Running" } },
    Growing: { invoke: { id: "grow", src: "grow", onDone: "Bigger", onError: "HumanIntervention" } },
    Bigger: {},
    Closed: { on: { "human.open": "Painted" } },
    Painted: {},
  };

  it("waits for a person where the author has drawn that for the target, and moves nothing in reliance on one", () => {
    expect(plan(approval, "Running", "Bigger")).toEqual(["desired.Bigger", "human.approve", "done.grow"]);
    expect(plan(approval, "Running", "Painted")).toBeUndefined();
    expect(plan(approval, "Closed", "Painted")).toEqual(["human.open"]);
    expect(plan(approval, "HumanIntervention", "Bigger")).toEqual([
      "config.changed",
      "observed.Running",
      "desired.Bigger",
      "human.approve",
      "done.grow",
    ]);
  });

  it("ends no application only to begin it again, and leads over the end that is under way already", () => {
    const states = {
      Start: { on: { "observed.Running": "Running", "desired.Restored": "Restored" } },
      Restored: { on: { "desired.Running": "Running" } },
      Running: { on: { "desired.End": "Stopping" } },
      Stopping: { invoke: { id: "stop", src: "stop", onDone: "End", onError: "HumanIntervention" } },
      End: { type: "final" },
    };
    expect(plan(states, "Running", "Restored")).toBeUndefined();
    expect(plan(states, "Stopping", "Restored")).toEqual(["done.stop", "begin", "desired.Restored"]);
  });
});

describe("a target that only an accident leads to", () => {
  it("moves nothing, is named with the edge that cannot be counted on, and is refused by the definition's rules", () => {
    const life = new Life(
      machine({
        Start: { on: { "observed.Running": "Running", "desired.Restored": "Restored" } },
        Restored: { on: { "desired.Running": "Running" } },
        Running: { on: { "desired.End": "Stopping" } },
        Stopping: { invoke: { id: "stop", src: "stop", onDone: "End", onError: "HumanIntervention" } },
        End: { type: "final" },
      }),
    );
    life.observed = "Running";
    life.settle();
    life.ask("Restored");
    life.settle();
    expect(life.state).toBe("Running");
    expect(life.status?.plan).toEqual([]);
    expect(life.condition).toMatchObject({ status: "False", reason: "Running" });
    expect(life.condition.message).toContain(
      "no path leads from Running to Restored except through a new life after the end, and the application is not ended",
    );
    expect(desirableFrom(life.lifecycle, "Running")).not.toContain("Restored");
    expect(desirableFrom(life.lifecycle, "Running")).toContain("End");
    expect(desirableFrom(life.lifecycle, "HumanIntervention")).toContain("Restored");
  });

  it("is told with the failure or the deadline that would lead there", () => {
    const life = new Life(
      machine({
        Start: { on: { "observed.Running": "Running" } },
        Running: { on: { "desired.Servicing": "Servicing" } },
        Servicing: {
          invoke: { id: "work", src: "work", onDone: "Running", onError: "Broken" },
          after: { "2h": "Slow" },
        },
        Broken: {},
        Slow: {},
        HumanIntervention: {
          tags: "intervention",
          on: { "desired.Broken": "Broken", "desired.Slow": "Slow", "human.retry": "Start" },
        },
      }),
    );
    life.observed = "Running";
    life.settle();
    for (const [state, event, doubt] of [
      ["Broken", "error.work", "a failure"],
      ["Slow", "after.2h", "a deadline"],
    ] as const) {
      life.ask(state);
      life.settle();
      expect(life.state).toBe("Running");
      expect(life.condition.message).toBe(
        `Running; no path that can be relied on leads from Running to ${state}: Servicing → ${state} by ${event} is ${doubt}, ` +
          `and the operator does not rely on it; add an edge "desired.${state}"`,
      );
    }
    expect(life.starts).toEqual([]);
  });

  it("is found by the static checks, where no state leads there otherwise", () => {
    const states = {
      Start: { invoke: { id: "make", src: "make", onDone: "Running", onError: "Broken" } },
      Running: { on: { "desired.Repaired": "Repaired" } },
      Broken: { on: { "desired.Fixed": "Fixed" } },
      Repaired: {},
      Fixed: {},
    };
    const found = checkLifecycle(machine(states))
      .filter(({ severity }) => severity === "error")
      .map(({ code, state }) => `${code} ${state}`);
    expect(found).toEqual(["TARGET_UNREACHABLE Broken"]);
  });
});

describe("a lifecycle of any shape, in a world where nothing fails", () => {
  it("is moved by the operator only where the target is reached in the end", () => {
    fc.assert(
      fc.property(
        fc.array(drawnState, { minLength: names.length, maxLength: names.length }),
        fc.nat({ max: names.length - 1 }),
        target,
        (states, from, to) => {
          const life = new Life(build(states));
          const target = nameOf(to);
          if (!life.lifecycle.desirable.includes(target)) return;
          life.ask(target, "only");
          // Put there by a look, so that nothing of an earlier way is known.
          life.store({ graph: "nothing@0" });
          life.observed = nameOf(from);
          life.cycle("beforeEffects");
          life.observed = undefined;
          let moved = false;
          for (let round = 0; round < 40 && life.status?.target.reached !== true; round += 1) {
            const before = life.state;
            const hop = nextHop(life);
            const leaves = parseLeaves(life.lifecycle.index, life.state ?? "") ?? [];
            const event = (hop?.edge ?? progressFrom(life.lifecycle, life.status, leaves))?.event ?? "";
            life.observed = event.startsWith("observed.") ? event.slice("observed.".length) : undefined;
            life.finish();
            const cycled = life.cycle();
            moved ||= cycled.moved?.event.startsWith("desired.") === true;
            if (life.state === before && (hop === undefined || hop.edge.kind === "after")) {
              life.now = Math.max(life.now, nextInstant(life.status, life.now) ?? life.now + 7_200_000);
            }
          }
          if (!moved) return;
          const { reached, outcome } = life.status?.target ?? {};
          expect(outcome).toBeUndefined();
          expect(reached).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });
});

function nextHop({ lifecycle, status, state }: Life) {
  const leaves = parseLeaves(lifecycle.index, state ?? "") ?? [];
  return status === undefined ? undefined : planToTarget(lifecycle, status.target, leaves)?.[0];
}
