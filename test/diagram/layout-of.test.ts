import * as fc from "fast-check";
import { createMachine } from "xstate";
import { beforeAll, describe, expect, it } from "vitest";
import { applicationLifecycle } from "../../machines/lifecycle-machine.ts";
import { watchMachine } from "../../machines/watch-machine.ts";
import type { DiagramLayout, DiagramNode } from "../../src/diagram/layout.ts";
import { layoutOf } from "../../src/diagram/layout-of.ts";
import { edgeLabel } from "../../src/diagram/state-tree.ts";
import { readGraph, type MachineGraph } from "../../src/statechart/graph.ts";
import { drawnGraph } from "./drawn-graph.ts";
import { faultsOf } from "./geometry.ts";
import { everyEdge, oddNames, parallelTop } from "./machine-fixtures.ts";
import { fortyStates } from "./forty-states.ts";

const nodeOf = (layout: DiagramLayout, id: string): DiagramNode => {
  const node = layout.nodes.find((each) => each.id === id);
  if (node === undefined) throw new Error(`no box ${id}`);
  return node;
};

describe("the layout of a graph", () => {
  const graphs: readonly (readonly [string, MachineGraph])[] = [
    ["a flat one", readGraph(applicationLifecycle)],
    ["one with loops", readGraph(watchMachine)],
    ["a nested one with a history, and edges between levels", readGraph(everyEdge)],
    ["one of parallel regions", readGraph(parallelTop)],
    ["one of forty states", readGraph(fortyStates)],
    ["one of odd names", readGraph(oddNames)],
  ];
  const layouts = new Map<string, DiagramLayout>();
  beforeAll(async () => {
    for (const [name, graph] of graphs) layouts.set(name, await layoutOf(graph));
  });
  const of = (name: string): DiagramLayout => {
    const layout = layouts.get(name);
    if (layout === undefined) throw new Error(`no layout of ${name}`);
    return layout;
  };

  it.each(graphs)("overlaps nothing, and has every state and every edge: %s", (name, graph) => {
    const layout = of(name);
    expect(faultsOf(layout)).toEqual([]);
    const drawnIds = layout.nodes.map(({ id }) => id);
    for (const { path } of graph.nodes) expect(drawnIds.filter((id) => id === path)).toHaveLength(1);
    const drawn = layout.edges.flatMap(({ edges }) => edges);
    const leading = graph.edges.flatMap(({ targets }, position) => targets.map(() => position));
    expect(drawn.toSorted((a, b) => a - b)).toEqual(leading);
    for (const [position, edge] of graph.edges.entries()) {
      if (edge.targets.length === 0) continue;
      const lines = layout.edges
        .flatMap(({ label }) => label?.lines ?? [])
        .filter((line) => line.edge === position);
      expect(lines.length).toBeGreaterThan(0);
      if (lines.length < 4 && /^[\x20-\x7e]*$/.test(edgeLabel(edge)))
        expect(
          lines
            .map(({ text }) => text)
            .join("")
            .replaceAll(" ", ""),
        ).toContain(edgeLabel(edge).replaceAll(" ", ""));
    }
  });

  it("of any graph overlaps nothing", async () => {
    await fc.assert(
      fc.asyncProperty(drawnGraph, async (graph) => {
        expect(faultsOf(await layoutOf(graph))).toEqual([]);
      }),
      { numRuns: Number(process.env["LAYOUT_RUNS"] ?? 15) },
    );
  });

  it("survives JSON, and is the same each time", async () => {
    const again = await layoutOf(JSON.parse(JSON.stringify(readGraph(everyEdge))) as MachineGraph);
    expect(JSON.parse(JSON.stringify(again))).toEqual(
      of("a nested one with a history, and edges between levels"),
    );
  });

  it("begins at the top of a flat graph, and goes down", () => {
    const layout = of("a flat one");
    expect(nodeOf(layout, "Start").y).toBeLessThan(nodeOf(layout, "Running").y);
    expect(nodeOf(layout, "Running").y).toBeLessThan(nodeOf(layout, "Stopping").y);
    const dot = layout.nodes.find(({ shape }) => shape === "initial");
    expect(dot?.y).toBe(Math.min(...layout.nodes.map(({ y }) => y)));
  });

  it("tells what each box is", () => {
    const layout = of("a nested one with a history, and edges between levels");
    expect(nodeOf(layout, "Working:Memory")).toMatchObject({ shape: "history", title: ["H*"], depth: 1 });
    expect(nodeOf(layout, "Both:Left")).toMatchObject({ shape: "region", depth: 1 });
    expect(nodeOf(layout, "Working")).toMatchObject({ shape: "compound", lines: ["do / backUp (backup)"] });
    expect(nodeOf(layout, "End")).toMatchObject({ shape: "final" });
    expect(nodeOf(layout, "Idle").lines).toEqual([
      "entry / prepare",
      "exit / tidy",
      "exit / tell",
      "note / log",
    ]);
  });

  it("draws edges between the same two states as one arrow, with a line for each", () => {
    const { edges } = of("a flat one");
    const back = edges.filter(({ source, target }) => source === "HumanIntervention" && target === "Start");
    expect(back.map(({ label }) => label?.lines.map(({ text }) => text))).toEqual([
      ["human.retry", "config.changed"],
    ]);
  });

  it("breaks long names, and cuts off endless ones", async () => {
    const long = "TheDatabaseIsBeingMovedToAnotherContinentByShip";
    const layout = await layoutOf(
      readGraph(
        createMachine({ id: "long", initial: long, states: { [long]: {}, ["x".repeat(5_000)]: {} } }),
      ),
    );
    const [first, second] = layout.nodes.filter(({ shape }) => shape === "state");
    expect(first?.title.length).toBeGreaterThan(1);
    expect(first?.title.join("")).toBe(long);
    expect(second?.title).toHaveLength(4);
    expect(second?.title.at(-1)).toMatch(/x…$/);
    expect(layout.width).toBeLessThan(600);
  });

  it("of a machine without states is an empty paper", async () => {
    const layout = await layoutOf(readGraph(createMachine({ id: "empty" })));
    expect(layout).toMatchObject({ nodes: [], edges: [] });
  });
});

describe("the geometric test itself", () => {
  it("notices a box, a label and an arrow that are moved", async () => {
    const layout = await layoutOf(readGraph(applicationLifecycle));
    const stopping = nodeOf(layout, "Stopping");
    const moved = (change: Partial<DiagramLayout>): readonly string[] => faultsOf({ ...layout, ...change });
    const nodes = layout.nodes.map((node) =>
      node.id === "Running" ? { ...node, x: stopping.x, y: stopping.y } : node,
    );
    expect(moved({ nodes })).toContain("Running overlaps Stopping");
    const labels = layout.edges.map((edge) =>
      edge.label === undefined ? edge : { ...edge, label: { ...edge.label, x: stopping.x, y: stopping.y } },
    );
    expect(moved({ edges: labels }).some((fault) => /^label .* overlaps Stopping$/.test(fault))).toBe(true);
    expect(moved({ edges: labels }).some((fault) => /^label .* overlaps label /.test(fault))).toBe(true);
    const middle = { x: stopping.x + stopping.width / 2, y: stopping.y + stopping.height / 2 };
    const ways = layout.edges.map((edge) =>
      edge.source === "Running" && edge.target === "Servicing"
        ? {
            ...edge,
            points: [
              { x: middle.x, y: 0 },
              { x: middle.x, y: layout.height },
            ],
          }
        : edge,
    );
    expect(
      moved({ edges: ways }).some((fault) => /^arrow Running → Servicing .* crosses Stopping$/.test(fault)),
    ).toBe(true);
    expect(moved({ width: 100 })).toContain("something leaves the paper");
  });
});
