import * as fc from "fast-check";
import { createMachine, type AnyStateMachine } from "xstate";
import { describe, expect, it } from "vitest";
import { electionMachine } from "../../machines/election-machine.ts";
import { applicationLifecycle } from "../../machines/lifecycle-machine.ts";
import { managerMachine } from "../../machines/manager-machine.ts";
import { reconciliationMachine } from "../../machines/reconciliation-machine.ts";
import { watchMachine } from "../../machines/watch-machine.ts";
import { configOf } from "../../src/diagram/config.ts";
import { readGraph, type MachineGraph } from "../../src/statechart/graph.ts";
import { drawnGraph } from "./drawn-graph.ts";
import { fortyStates } from "./forty-states.ts";
import { everyEdge, oddNames, parallelTop } from "./machine-fixtures.ts";

const machineOf = (graph: MachineGraph): AnyStateMachine =>
  createMachine(JSON.parse(JSON.stringify(configOf(graph))) as never);

/** Names of combined guards, and lengths of delays, are all that a configuration without functions can have. */
const plain = (graph: MachineGraph): MachineGraph => ({
  ...graph,
  edges: graph.edges.map(({ guardNames: _guardNames, ...edge }) => {
    if (edge.delay === undefined) return edge;
    const delayLength = edge.delayLength ?? 2 ** 31 - 1;
    const delay = String(delayLength);
    const eventType = edge.eventType.replace(`xstate.after.${edge.delay}.`, `xstate.after.${delay}.`);
    return { ...edge, delay, delayLength, eventType, event: `after.${delay}` };
  }),
});

const nested = createMachine({
  id: "with.dots",
  version: "2",
  description: "Names that are paths elsewhere.",
  initial: "a.b",
  states: {
    "a.b": {
      initial: "c",
      tags: ["stable"],
      meta: { refuse: ["spec.storage"] },
      onDone: { target: "#x", actions: "tell" },
      states: {
        c: { on: { "*": [{ guard: "isLate", target: "d" }, { target: "#with\\.dots.e" }] } },
        d: { type: "final" },
      },
    },
    e: { id: "x", always: [{ guard: "isOver", target: "f" }], on: { up: { target: ["f"] } } },
    f: {
      type: "parallel",
      states: {
        one: { initial: "p", states: { p: {}, q: {}, back: { type: "history", target: "q" } } },
        two: { initial: "p", states: { p: { on: { both: ["#with\\.dots.f.one.q"] } }, q: {} } },
      },
    },
  },
} as never);

describe("a graph as a configuration", () => {
  it.each([
    ["lifecycle", applicationLifecycle],
    ["election", electionMachine],
    ["manager", managerMachine],
    ["reconciliation", reconciliationMachine],
    ["watch", watchMachine],
    ["forty states", fortyStates],
    ["every kind of edge", everyEdge],
    ["odd names", oddNames],
    ["parallel", parallelTop],
    ["names with dots, ids, tags and memories", nested],
  ] as readonly (readonly [string, AnyStateMachine])[])(
    "makes a machine of the same graph: %s",
    (_, machine) => {
      const graph = readGraph(machine);
      expect(graph.edges.length).toBeGreaterThan(1);
      expect(readGraph(machineOf(graph))).toEqual(plain(graph));
    },
  );

  it("makes a machine of the same graph, whatever was drawn", () => {
    fc.assert(
      fc.property(drawnGraph, (drawn) => {
        const graph = readGraph(machineOf(drawn));
        expect(graph.nodes.map(({ path }) => path)).toEqual(drawn.nodes.map(({ path }) => path));
        expect(graph.edges).toHaveLength(drawn.edges.length);
        expect(readGraph(machineOf(graph))).toEqual(graph);
      }),
      { numRuns: 50 },
    );
  });

  it("is written as a person would: neighbours by name, parts with a dot, what is alone without a list", () => {
    expect(configOf(readGraph(applicationLifecycle))).toMatchObject({
      id: "application",
      version: "1",
      initial: "Start",
      states: {
        Start: {
          on: { "observed.Running": "Running", "desired.End": "Stopping" },
          after: { 600000: { target: "HumanIntervention", meta: { delay: "startTimeout" } } },
        },
        Servicing: {
          invoke: [{ id: "service", src: "service", onDone: "Running", onError: "HumanIntervention" }],
        },
        End: { type: "final" },
      },
    });
    expect(configOf(readGraph(everyEdge))).toMatchObject({
      on: { "human.stop": ".End" },
      states: { Working: { on: { back: ".First", whole: { target: "Working", reenter: true } } } },
    });
  });
});
