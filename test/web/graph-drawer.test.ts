import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readGraph } from "../../src/statechart/graph.ts";
import type { MachineGraph } from "../../src/statechart/graph.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { createGraphDrawer, type GraphDrawer } from "../../src/web/graph-drawer.ts";
import { managerMachine } from "../../machines/manager-machine.ts";

const graph = readGraph(managerMachine);

describe("the drawer of graphs", () => {
  const clock = createVirtualClock();
  let drawer: GraphDrawer;
  beforeEach(() => {
    drawer = createGraphDrawer(clock);
  });
  afterEach(() => drawer.close());

  it("draws what it is given, one after the other, and goes on after one that it cannot draw", async () => {
    const broken = { ...graph, nodes: [{ path: "x" }] } as unknown as MachineGraph;
    const graphs = [graph, { ...graph, id: "second" }, broken, { ...graph, id: "third" }];
    const drawings = await Promise.all(graphs.map((each) => drawer.draw(each)));
    expect(drawings.map((drawing) => drawing?.startsWith("<svg"))).toEqual([true, true, undefined, true]);
  });

  it("draws nothing that is too large to be read", async () => {
    const nodes = Array.from({ length: 301 }, (_, index) => ({ ...graph.nodes[0], path: `S${index}` }));
    expect(await drawer.draw({ ...graph, nodes: nodes as MachineGraph["nodes"] })).toBeUndefined();
  });

  it("gives up what takes too long, and the thread with it", async () => {
    const drawing = drawer.draw(graph);
    await clock.advance(20_000);
    expect(await drawing).toBeUndefined();
    expect(await drawer.draw({ ...graph, id: "next" })).toContain("<svg");
  });
});
