// The way to a target: shortest among what happens by itself, people last.
import { describe, expect, it } from "vitest";
import { createMachine } from "xstate";
import { setupLifecycle, type LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import { compileLifecycle } from "../../src/lifecycle/graph/compile-lifecycle.ts";
import { planPath, reachableStates } from "../../src/lifecycle/graph/planner.ts";
import { isActive } from "../../src/statechart/configuration.ts";
import { databaseLifecycle } from "./database-lifecycle.ts";

function way(machine: LifecycleMachine, from: string, to: string): string[] | undefined {
  const lifecycle = compileLifecycle(machine);
  return planPath(lifecycle, [from], (leaves) => isActive(leaves, to))?.map((hop) => hop.edge.event);
}

describe("the planner", () => {
  it.each([
    ["Running", "Servicing", ["desired.Servicing"]],
    ["Running", "End", ["desired.End", "done.drain"]],
    ["Servicing", "End", ["done.backup", "desired.End", "done.drain"]],
    ["HumanIntervention", "Running", ["human.retry", "observed.Running"]],
    ["Running", "Running", []],
    ["End", "Running", ["begin", "observed.Running"]],
    ["Stopping", "Running", ["done.drain", "begin", "observed.Running"]],
    ["Running", "Start", undefined],
  ])("leads from %s to %s by %j", (from, to, events) => {
    expect(way(databaseLifecycle, from, to)).toEqual(events);
  });

  const detour = setupLifecycle().createMachine({
    id: "detour",
    version: "1",
    initial: "A",
    states: {
      A: { tags: ["stable"], on: { "human.jump": "D", "desired.B": "B", "observed.Broken": "C" } },
      B: { on: { "desired.C": "C" } },
      C: { on: { "desired.D": "D" } },
      D: {},
    },
  });

  it("prefers a longer way of its own to a person and to an accident", () => {
    expect(way(detour, "A", "D")).toEqual(["desired.B", "desired.C", "desired.D"]);
    expect(way(detour, "A", "C")).toEqual(["desired.B", "desired.C"]);
  });

  it("says which states can be reached", () => {
    const lifecycle = compileLifecycle(detour);
    expect(reachableStates(lifecycle, ["B"])).toEqual(["B", "C", "D"]);
  });

  it("gives the same plan for the same question", () => {
    const plans = new Set(
      Array.from({ length: 20 }, () => JSON.stringify(way(databaseLifecycle, "Start", "End"))),
    );
    expect(plans.size).toBe(1);
  });

  it("comes to an end in a graph with many regions", () => {
    const region = (name: string): object => ({
      initial: "A",
      states: Object.fromEntries(
        ["A", "B", "C", "D"].map((state) => [
          state,
          { on: Object.fromEntries(["A", "B", "C", "D"].map((to) => [`desired.${name}${to}`, to])) },
        ]),
      ),
    });
    const names = ["r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8"];
    const machine = setupLifecycle().createMachine({
      id: "wide",
      version: "1",
      initial: "P",
      states: {
        P: { type: "parallel", states: Object.fromEntries(names.map((name) => [name, region(name)])) },
        Island: {},
      },
    }) as unknown as LifecycleMachine;
    const lifecycle = compileLifecycle(machine);
    const start = names.map((name) => `P:${name}:A`);
    expect(planPath(lifecycle, start, (leaves) => isActive(leaves, "Island"))).toBeUndefined();
  });
});

describe("compiling a lifecycle", () => {
  it("tells states that hold from those that are left by themselves", () => {
    const lifecycle = compileLifecycle(databaseLifecycle);
    expect([...lifecycle.roles.transient]).toEqual(["Start", "Servicing", "Stopping"]);
    expect(lifecycle.desirable).toEqual(["Running", "Servicing", "Stopping", "End"]);
    expect(lifecycle).toMatchObject({
      graphId: "database@1",
      initial: "Start",
      final: "End",
      defaultDesiredState: "Running",
      intervention: "HumanIntervention",
    });
  });

  it("lets a tag overrule what kind a state is", () => {
    const lifecycle = compileLifecycle(
      setupLifecycle().createMachine({
        id: "tagged",
        version: "1",
        initial: "Running",
        states: {
          Running: { tags: "stable", after: { "1d": "Servicing" } },
          Servicing: { tags: "transient", on: { "observed.Done": "Running" } },
        },
      }),
    );
    expect([...lifecycle.roles.transient]).toEqual(["Servicing"]);
    expect(lifecycle.defaultDesiredState).toBe("Running");
  });

  it("refuses what XState refuses, with its reason", () => {
    const broken = { id: "broken", initial: "A", states: { A: { on: { "desired.B": "B" } } } };
    expect(() => setupLifecycle().createMachine(broken as never)).toThrow(/B/);
  });

  it("leaves the author's machine alone and adds HumanIntervention to its own", () => {
    const machine = createMachine({ id: "plain", version: "1", initial: "A", states: { A: {} } });
    const before = JSON.stringify(machine.config);
    expect(compileLifecycle(machine).intervention).toBe("HumanIntervention");
    expect(JSON.stringify(machine.config)).toBe(before);
  });
});
