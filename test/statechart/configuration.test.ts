// Which states are active together: entered, left and named by the graph alone, as XState itself would do it.
import * as fc from "fast-check";
import { initialTransition, setup, transition } from "xstate";
import { describe, expect, it } from "vitest";
import {
  activeStates,
  edgesOf,
  enter,
  follow,
  formatLeaves,
  indexGraph,
  isConfiguration,
  parseLeaves,
} from "../../src/statechart/configuration.ts";
import { readGraph } from "../../src/statechart/graph.ts";
import { leavesOf } from "../../src/statechart/state-value.ts";

const machine = setup({}).createMachine({
  id: "m",
  initial: "A",
  states: {
    A: { on: { e0: "P", e1: "C.C2", e2: "P.r2.Y" } },
    P: {
      type: "parallel",
      states: {
        r1: { initial: "X", states: { X: { on: { e0: "Y" } }, Y: { on: { e1: "X" } } } },
        r2: { initial: "X", states: { X: { on: { e0: "Y", e2: "#m.A" } }, Y: { on: { e1: "X" } } } },
      },
      on: { e3: "C", e4: ".r1.Y" },
    },
    C: {
      initial: "C1",
      states: { C1: { on: { e0: "C2" } }, C2: { initial: "I", states: { I: { on: { e2: "J" } }, J: {} } } },
      on: { e1: ".C1", e3: { target: "C", reenter: true }, e4: "A" },
    },
  },
});
const index = indexGraph(readGraph(machine));

describe("a configuration", () => {
  it("is what the machine itself would be in, after any events", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 4 }), { maxLength: 30 }), (events) => {
        let [snapshot] = initialTransition(machine);
        let leaves = enter(index, ["A"]);
        for (const number of events) {
          const type = `e${number}`;
          const edges = edgesOf(index, leaves).filter((edge) => edge.event === type);
          [snapshot] = transition(machine, snapshot, { type });
          // In a parallel state each region takes its own edge; an edge further out counts when no inner one does.
          const inner = edges.filter((edge) => edge.source.split(":").length > 1);
          const taken = (inner.length > 0 ? inner : edges.slice(0, 1)).filter(
            (edge, at, all) => all.findIndex((other) => other.source === edge.source) === at,
          );
          const deepest = taken.filter(
            (edge) => !taken.some((other) => other !== edge && other.source.startsWith(`${edge.source}:`)),
          );
          for (const edge of deepest) leaves = follow(index, leaves, edge);
          expect(formatLeaves(leaves)).toBe(formatLeaves(leavesOf(machine, snapshot.value)));
          expect(isConfiguration(index, leaves)).toBe(true);
          expect(parseLeaves(index, formatLeaves(leaves))).toEqual(leaves);
        }
      }),
    );
  });

  it("is completed from the name of a state", () => {
    expect(parseLeaves(index, "C")).toEqual(["C:C1"]);
    expect(parseLeaves(index, "C:C2")).toEqual(["C:C2:I"]);
    expect(parseLeaves(index, "P:r2:Y")).toEqual(["P:r1:X", "P:r2:Y"]);
  });

  it.each(["", "Z", "A,C", "C:C1,C:C2", "C:", ":A", "toString", "P:r1:X,A"])("is not named by %j", (text) => {
    expect(parseLeaves(index, text)).toBeUndefined();
  });

  it("is complete or none", () => {
    expect(isConfiguration(index, ["P:r1:X"])).toBe(false);
    expect(isConfiguration(index, ["C"])).toBe(false);
    expect(isConfiguration(index, [])).toBe(false);
    expect(isConfiguration(index, ["P:r1:X", "P:r2:X"])).toBe(true);
  });

  it("includes the states around its leaves", () => {
    expect(activeStates(index, ["C:C2:I"]).map((node) => node.path)).toEqual(["C", "C:C2", "C:C2:I"]);
  });
});
