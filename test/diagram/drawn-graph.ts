// Graphs of any shape, as a person might draw them: nested and parallel states, memories, loops, edges between any levels.
import * as fc from "fast-check";
import type { GraphEdge, GraphNode, MachineGraph } from "../../src/statechart/graph.ts";

interface Tree {
  readonly kind: "plain" | "parallel";
  readonly history: boolean;
  readonly children: readonly Tree[];
}

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.record({
    kind: fc.constantFrom("plain", "plain", "parallel"),
    history: fc.boolean(),
    children: fc.oneof(
      { maxDepth: 2, depthIdentifier: "tree" },
      fc.constant([]),
      fc.array(tie("tree"), { minLength: 1, maxLength: 3, depthIdentifier: "tree" }),
    ),
  }),
}));

const words = ["go", "observed.Running", "desired.Servicing", "done.takeTheNightlyBackup", "after 90s"];

interface Drawn {
  readonly states: readonly Tree[];
  readonly edges: readonly (readonly [number, number, number, boolean])[];
  readonly parallel: boolean;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  states: fc.array(tree, { minLength: 1, maxLength: 6, size: "max" }),
  edges: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.boolean()), {
    minLength: 3,
    maxLength: 16,
    size: "max",
  }),
  parallel: fc.integer({ min: 0, max: 5 }).map((number) => number === 0),
});

/** Any graph. */
export const drawnGraph: fc.Arbitrary<MachineGraph> = drawn.map(({ states, edges, parallel }) => {
  const nodes = nodesOf(states, undefined);
  return {
    id: "drawn",
    initial: parallel ? "" : (nodes[0]?.path ?? ""),
    parallel,
    nodes,
    edges: edges.flatMap((edge) => edgeOf(nodes, edge)),
  };
});

function nodesOf(trees: readonly Tree[], parent: string | undefined): readonly GraphNode[] {
  return trees.flatMap((each, index) => {
    const name = `${parent === undefined ? "State" : "Part"}${index + 1}`;
    const path = parent === undefined ? name : `${parent}:${name}`;
    const children = nodesOf(each.children, path);
    const type = children.length === 0 ? "atomic" : each.kind === "parallel" ? "parallel" : "compound";
    const node: GraphNode = {
      ...plain,
      path,
      name,
      ...(parent === undefined ? {} : { parent }),
      type,
      ...(type === "compound" ? { initial: children[0]?.path ?? path } : {}),
    };
    const memory: GraphNode = {
      ...plain,
      path: `${path}:Memory`,
      name: "Memory",
      parent: path,
      type: "history",
      history: "deep",
    };
    return [node, ...children, ...(each.history && type === "compound" ? [memory] : [])];
  });
}

const plain = { tags: [], invokes: [], entry: [], exit: [] } as const;

function edgeOf(
  nodes: readonly GraphNode[],
  [from, to, word, guarded]: readonly [number, number, number, boolean],
): readonly GraphEdge[] {
  const sources = nodes.filter(({ type }) => type !== "history");
  const source = from % 11 === 0 ? "" : sources[from % sources.length]?.path;
  const target = nodes[to % nodes.length]?.path;
  const event = words[word % words.length] ?? "go";
  if (source === undefined || target === undefined) return [];
  const edge = {
    source,
    targets: [target],
    event,
    kind: "event",
    eventType: event,
    actions: [],
    reenter: false,
  } as const;
  return [guarded ? { ...edge, guard: "isAllowedNow" } : edge];
}
