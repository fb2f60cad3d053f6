import { describe, expect, it } from "vitest";
import { createMachine, type AnyStateMachine } from "xstate";
import { electionMachine } from "../../machines/election-machine.ts";
import { managerMachine } from "../../machines/manager-machine.ts";
import { reconciliationMachine } from "../../machines/reconciliation-machine.ts";
import { watchMachine } from "../../machines/watch-machine.ts";
import { graphOfDefinition } from "../../src/inspect/browser/definition-graph.ts";
import { leavesOf, marksOfStep } from "../../src/inspect/browser/machine-marks.ts";
import { readGraph, type MachineGraph } from "../../src/statechart/graph.ts";
import { parseGraph } from "../../src/statechart/parse-graph.ts";
import { databaseLifecycle } from "../lifecycle/database-lifecycle.ts";

const shapes = createMachine({
  id: "shapes",
  type: "parallel",
  on: { reset: "#shapes.power.off" },
  states: {
    power: {
      initial: "off",
      onDone: { actions: "tell" },
      states: {
        off: { on: { on: [{ target: "on", guard: "hasPower" }, { actions: "blink" }] } },
        on: {
          id: "lit",
          after: { 5000: "off" },
          on: { "dim.*": ".low" },
          initial: "low",
          states: { low: {} },
        },
        done: { type: "final" },
        back: { type: "history", history: "deep", target: "on" },
      },
    },
    heat: {
      initial: "cold",
      states: {
        cold: {
          invoke: { id: "warm", src: "warmUp", onDone: "hot", onError: "#lit" },
          always: { target: "hot", guard: "isHot" },
        },
        hot: { entry: "beep", tags: ["busy"], description: "It is hot." },
      },
    },
  },
});

/** As the protocol sends it. */
function sent({ config }: AnyStateMachine): unknown {
  return JSON.parse(
    JSON.stringify(config, (_, value: unknown) =>
      typeof value === "function" ? { type: value.name } : value,
    ),
  );
}

/** What is drawn of a graph, and what an edge is known by. */
function drawn(graph: MachineGraph | undefined): unknown {
  return {
    id: graph?.id,
    initial: graph?.initial,
    parallel: graph?.parallel,
    nodes: graph?.nodes.map(({ path, type, initial, history }) => ({ path, type, initial, history })),
    edges: graph?.edges
      .map(({ source, targets, eventType, kind, guard }) => ({ source, targets, eventType, kind, guard }))
      .map((edge) => JSON.stringify(edge))
      .toSorted(),
  };
}

describe("the graph of a definition", () => {
  it.each<[string, AnyStateMachine]>(
    [managerMachine, watchMachine, reconciliationMachine, electionMachine, databaseLifecycle, shapes].map(
      (machine) => [machine.id, machine as AnyStateMachine],
    ),
  )("is the one that XState makes of it: %s", (_, machine) => {
    const graph = graphOfDefinition(sent(machine));
    expect(drawn(graph)).toEqual(drawn(readGraph(machine)));
    expect(parseGraph(JSON.stringify(graph))).toBeDefined();
  });

  it.each([undefined, 7, "x", [], {}, { states: [] }, { states: { a: "#" } }])(
    "outlives %j",
    (definition) => {
      expect(() => graphOfDefinition(definition)).not.toThrow();
    },
  );
});

describe("the marks of a step", () => {
  const graph = graphOfDefinition(sent(shapes)) as MachineGraph;
  const taken = (step: Parameters<typeof marksOfStep>[1]) =>
    marksOfStep(graph, step).taken?.map((edge) => graph.edges[edge]?.event);

  it("are the leaves of a value, and the edges that the event took", () => {
    const before = { power: "off", heat: "cold" };
    const value = { power: { on: "low" }, heat: "cold" };
    expect(leavesOf(value)).toEqual(["power:on:low", "heat:cold"]);
    expect(taken({ before, value, eventType: "on" })).toEqual(["on"]);
    expect(taken({ before: value, value, eventType: "dim.more" })).toEqual(["dim.*"]);
    expect(taken({ before: value, value: before, eventType: "xstate.after.5000.lit" })).toEqual([
      "after.5000",
    ]);
  });

  it("are none for an event that nothing is known of, and for values that are none", () => {
    expect(taken({ before: { power: "off" }, value: { power: "off" }, eventType: "elsewhere" })).toEqual([]);
    expect(marksOfStep(graph, { value: [null, 3] as unknown })).toMatchObject({ active: [], taken: [] });
  });
});
