import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applicationLifecycle } from "../../machines/lifecycle-machine.ts";
import { readGraph, type MachineGraph } from "../../src/statechart/graph.ts";
import { parseGraph } from "../../src/statechart/parse-graph.ts";
import { everyEdge, oddNames, parallelTop } from "../diagram/machine-fixtures.ts";

describe("a stored graph", () => {
  const graph = readGraph(applicationLifecycle);
  const changed = (change: (graph: { -readonly [K in keyof MachineGraph]: unknown }) => void): string => {
    const copy = JSON.parse(JSON.stringify(graph)) as { -readonly [K in keyof MachineGraph]: unknown };
    change(copy);
    return JSON.stringify(copy);
  };

  it.each([applicationLifecycle, everyEdge, oddNames, parallelTop])(
    "is read as it was written",
    (machine) => {
      const written = readGraph(machine);
      expect(parseGraph(JSON.stringify(written))).toEqual(written);
    },
  );

  it("is none when anything in it does not fit", () => {
    const [first, ...rest] = graph.nodes;
    for (const text of [
      "",
      "null",
      "[]",
      "{}",
      '{"id":"x","nodes":[],"edges":[]}',
      changed((copy) => (copy.nodes = [first, first, ...rest])),
      changed((copy) => (copy.nodes = rest)),
      changed((copy) => (copy.nodes = [{ ...first, parent: "Nowhere" }, ...rest])),
      changed((copy) => (copy.nodes = [{ ...first, invokes: [null] }, ...rest])),
      changed((copy) => (copy.nodes = [{ ...first, type: "round" }, ...rest])),
      changed((copy) => (copy.edges = [{ ...graph.edges[0], targets: ["Nowhere"] }])),
      changed((copy) => (copy.edges = [{ ...graph.edges[0], actions: "none" }])),
      changed((copy) => (copy.initial = "Nowhere")),
    ]) {
      expect(parseGraph(text), text).toBeUndefined();
    }
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseGraph(text)).toBeUndefined();
      }),
    );
  });
});
