// The graph says what the machine does, in the author's words, as plain data.
import { and, assign, createMachine, fromPromise, not, setup } from "xstate";
import { describe, expect, it } from "vitest";
import { applicationLifecycle } from "../../machines/lifecycle-machine.ts";
import { readGraph } from "../../src/statechart/graph.ts";

const machine = setup({
  guards: { isReady: () => true, isBusy: () => false },
  actions: { notify: () => undefined },
  actors: { backUp: fromPromise(() => Promise.resolve(1)) },
  delays: { timeout: 1_000 },
}).createMachine({
  id: "shop",
  version: "7",
  description: "A shop.",
  initial: "Closed",
  on: { "human.stop": ".Closed" },
  states: {
    Closed: {
      tags: ["calm"],
      description: "Nobody is there.",
      on: {
        open: { target: "Open", guard: and(["isReady", not("isBusy")]), description: "In the morning." },
      },
    },
    Open: {
      initial: "Serving",
      entry: "notify",
      exit: assign({}),
      invoke: {
        id: "backup",
        src: "backUp",
        onDone: ".Serving",
        onError: { target: "Closed", actions: "notify" },
      },
      after: { timeout: "Closed", 5000: { target: "Open", reenter: true } },
      states: {
        Serving: { always: { target: "Cleaning", guard: "isBusy" } },
        Cleaning: { type: "final" },
        Before: { type: "history", history: "deep", target: "Cleaning" },
      },
      onDone: "Closed",
    },
  },
});

describe("the graph of a machine", () => {
  const graph = readGraph(machine);

  it("survives JSON unchanged", () => {
    expect(JSON.parse(JSON.stringify(graph))).toEqual(graph);
  });

  it("names the machine and where it begins", () => {
    expect(graph).toMatchObject({
      id: "shop",
      version: "7",
      description: "A shop.",
      initial: "Closed",
      parallel: false,
    });
  });

  it("lists states in document order, by their path", () => {
    expect(graph.nodes.map(({ path, type, parent, initial }) => [path, type, parent, initial])).toEqual([
      ["Closed", "atomic", undefined, undefined],
      ["Open", "compound", undefined, "Open:Serving"],
      ["Open:Serving", "atomic", "Open", undefined],
      ["Open:Cleaning", "final", "Open", undefined],
      ["Open:Before", "history", "Open", "Open:Cleaning"],
    ]);
    expect(graph.nodes[0]).toMatchObject({ tags: ["calm"], description: "Nobody is there." });
    expect(graph.nodes[1]).toMatchObject({
      invokes: [{ id: "backup", src: "backUp" }],
      entry: ["notify"],
      exit: ["xstate.assign"],
    });
    expect(graph.nodes[4]).toMatchObject({ history: "deep" });
  });

  it("lists every kind of edge, with guards, delays and actions by name", () => {
    expect(
      graph.edges.map(({ source, event, kind, targets, guard }) => [
        source,
        event,
        kind,
        targets.join(),
        guard,
      ]),
    ).toEqual([
      ["", "human.stop", "event", "Closed", undefined],
      ["Closed", "open", "event", "Open", "and(isReady, not(isBusy))"],
      ["Open", "done.Open", "done", "Closed", undefined],
      ["Open", "done.backup", "done", "Open:Serving", undefined],
      ["Open", "error.backup", "error", "Closed", undefined],
      ["Open", "after.5000", "after", "Open", undefined],
      ["Open", "after.timeout", "after", "Closed", undefined],
      ["Open:Serving", "always", "always", "Open:Cleaning", "isBusy"],
    ]);
    expect(graph.edges[1]).toMatchObject({
      description: "In the morning.",
      guardNames: ["isReady", "isBusy"],
    });
    expect(graph.edges[4]).toMatchObject({ actions: ["notify"], eventType: "xstate.error.actor.backup" });
    expect(graph.edges[5]).toMatchObject({ delay: "5000", reenter: true });
  });

  it("calls logic and functions written into the machine inline", () => {
    const inline = createMachine({
      id: "inline",
      initial: "A",
      states: {
        A: {
          invoke: { src: fromPromise(() => Promise.resolve(1)) },
          entry: () => undefined,
          on: { go: { guard: () => true, target: "A" } },
        },
      },
    });
    const { nodes, edges } = readGraph(inline);
    expect(nodes[0]).toMatchObject({ invokes: [{ src: "inline" }], entry: ["inline"] });
    expect(edges[0]).toMatchObject({ guard: "inline" });
  });

  it("shows the default lifecycle", () => {
    const { nodes } = readGraph(applicationLifecycle);
    expect(nodes.map((node) => node.path)).toEqual([
      "Start",
      "Running",
      "Servicing",
      "Stopping",
      "HumanIntervention",
      "End",
    ]);
  });
});
