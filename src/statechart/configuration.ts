// Which states of a graph are active together, as the paths of the innermost ones (leaves): what is planned with,
// persisted and checked. Pure graph arithmetic; the machine itself is asked only to move.
import type { GraphEdge, GraphNode, MachineGraph } from "./graph.ts";

/** Paths of the innermost active states, in document order; one, unless a parallel state is active. */
export type Leaves = readonly string[];

/** A graph with what is looked up often. */
export interface GraphIndex {
  readonly graph: MachineGraph;
  readonly nodes: ReadonlyMap<string, GraphNode>;
  /** Children by parent path, history states left out; the top is the empty path. */
  readonly children: ReadonlyMap<string, readonly GraphNode[]>;
  /** Edges by the path of the state they leave. */
  readonly edges: ReadonlyMap<string, readonly GraphEdge[]>;
  /** Position of each path in document order. */
  readonly order: ReadonlyMap<string, number>;
}

/** Prepares a graph for lookups. */
export function indexGraph(graph: MachineGraph): GraphIndex {
  const states = graph.nodes.filter((node) => node.type !== "history");
  return {
    graph,
    nodes: new Map(graph.nodes.map((node) => [node.path, node])),
    children: Map.groupBy(states, (node) => node.parent ?? ""),
    edges: Map.groupBy(graph.edges, (edge) => edge.source),
    order: new Map(graph.nodes.map((node, position) => [node.path, position])),
  };
}

/** The path and those of the states around it, innermost first; the top is not one of them. */
export function lineageOf(path: string): string[] {
  if (!path.includes(":")) return [path];
  const names = path.split(":");
  return names.map((_, count) => names.slice(0, names.length - count).join(":"));
}

/** Whether a state is this one or inside it; everything is inside the empty path. */
export function isWithin(path: string, outer: string): boolean {
  return outer === "" || path === outer || path.startsWith(`${outer}:`);
}

/** Configurations of one graph for which answers are kept; parallel states multiply them. */
const mostKept = 4_096;

/** A pure function of a graph and where it is, which is asked again and again for every resource: its answers are kept with the graph. */
export function keptByLeaves<T, TGraph extends object = GraphIndex>(
  answer: (graph: TGraph, leaves: Leaves) => T,
): (graph: TGraph, leaves: Leaves) => T {
  const graphs = new WeakMap<TGraph, Map<string, T>>();
  return (graph, leaves) => {
    const kept = graphs.get(graph) ?? new Map<string, T>();
    if (kept.size === 0) graphs.set(graph, kept);
    const place = formatLeaves(leaves);
    const known = kept.get(place);
    if (known !== undefined || kept.has(place)) return known as T;
    const found = answer(graph, leaves);
    if (kept.size < mostKept) kept.set(place, found);
    return found;
  };
}

/** All active states, in document order: leaves and those around them. */
export const activeStates = keptByLeaves((index, leaves): readonly GraphNode[] => {
  const active = new Set(leaves.flatMap(lineageOf));
  return index.graph.nodes.filter((node) => active.has(node.path));
});

/** Whether the state, or one inside it, is active. */
export function isActive(leaves: Leaves, path: string): boolean {
  return leaves.some((leaf) => isWithin(leaf, path));
}

/** Paths of all states in which something can be; history states are none. */
export function statesOf({ graph }: GraphIndex): readonly string[] {
  return graph.nodes.filter(({ type }) => type !== "history").map(({ path }) => path);
}

/** The path of the innermost region around a state, or of the state itself if it is one; the top is the empty path. */
export function regionOf({ graph, nodes }: GraphIndex, path: string): string {
  const isRegion = (each: string): boolean => {
    const parent = nodes.get(each)?.parent;
    return parent === undefined ? graph.parallel : nodes.get(parent)?.type === "parallel";
  };
  return path === "" ? "" : (lineageOf(path).find(isRegion) ?? "");
}

/** Whether two states can be active at the same time: one is inside the other, or they are in regions side by side. */
export function canBeTogether({ graph, nodes }: GraphIndex, one: string, other: string): boolean {
  if (isWithin(one, other) || isWithin(other, one)) return true;
  const shared = commonAncestor([one, other]);
  return shared === "" ? graph.parallel : nodes.get(shared)?.type === "parallel";
}

/** The edges that leave active states, inner states first, as the machine itself would look for them. */
export const edgesOf = keptByLeaves((index, leaves): readonly GraphEdge[] => {
  const sources = new Set([...leaves.flatMap(lineageOf), ""]);
  const depth = (path: string): number => (path === "" ? 0 : path.split(":").length);
  return [...sources].sort((a, b) => depth(b) - depth(a)).flatMap((source) => index.edges.get(source) ?? []);
});

/** The leaves active after the machine has entered these states from outside; also completes a partial list. */
export function enter(index: GraphIndex, targets: readonly string[], within = ""): Leaves {
  const resolved = targets.map((target) => {
    const node = index.nodes.get(target);
    return node?.type === "history" ? (node.initial ?? node.parent ?? target) : target;
  });
  const descend = (path: string): string[] => {
    const children = index.children.get(path) ?? [];
    if (children.length === 0) return path === "" ? [] : [path];
    const parallel = path === "" ? index.graph.parallel : index.nodes.get(path)?.type === "parallel";
    if (parallel) return children.flatMap((child) => descend(child.path));
    const initial = path === "" ? index.graph.initial : index.nodes.get(path)?.initial;
    const chosen = aimedChild(index, path, resolved) ?? initial;
    return chosen === undefined || !index.nodes.has(chosen) ? [] : descend(chosen);
  };
  return descend(within);
}

/** The child of a state that is one of these states, or that holds one of them; the first in document order. */
function aimedChild(
  { nodes, order }: GraphIndex,
  path: string,
  targets: readonly string[],
): string | undefined {
  const children = targets.flatMap((target) => {
    if (target === path || !isWithin(target, path)) return [];
    const end = target.indexOf(":", path === "" ? 0 : path.length + 1);
    const child = end < 0 ? target : target.slice(0, end);
    const node = nodes.get(child);
    return node === undefined || node.type === "history" ? [] : [child];
  });
  const [first, ...others] = children;
  return others.reduce(
    (best, child) => ((order.get(child) ?? 0) < (order.get(best ?? "") ?? 0) ? child : best),
    first,
  );
}

/** The leaves after an edge is taken, guards, `always` and raised events left aside. */
export function follow(index: GraphIndex, leaves: Leaves, edge: GraphEdge): Leaves {
  if (edge.targets.length === 0) return leaves;
  const inside = !edge.reenter && edge.targets.every((target) => isWithin(target, edge.source));
  const domain = inside ? edge.source : commonAncestor([edge.source, ...edge.targets]);
  const entered = enter(index, edge.targets, domain);
  const kept = leaves.filter((leaf) => !isWithin(leaf, domain));
  if (kept.length === 0) return entered;
  const positionOf = (path: string): number => index.order.get(path) ?? 0;
  return [...kept, ...entered].sort((a, b) => positionOf(a) - positionOf(b));
}

/** Whether the leaves are one complete configuration of the graph. */
export function isConfiguration(index: GraphIndex, leaves: Leaves): boolean {
  if (leaves.length === 0 || leaves.some((leaf) => !index.nodes.has(leaf))) return false;
  const complete = enter(index, leaves);
  return complete.length === leaves.length && complete.every((leaf, position) => leaf === leaves[position]);
}

/** Joined by commas: the form in which leaves are a condition's reason. The inverse of {@link parseLeaves}. */
export function formatLeaves(leaves: Leaves): string {
  const [only = ""] = leaves;
  return leaves.length === 1 ? only : leaves.join(",");
}

/**
 * The configuration named by a text of {@link formatLeaves}, or by the path of a state (its initial states are filled in).
 * Undefined when it names no state, or states that are never active together.
 */
export function parseLeaves(index: GraphIndex, text: string): Leaves | undefined {
  return index.nodes.has(text) ? leavesAt(index, [text]) : leavesNamed(index, text.split(","));
}

/** By one path, of which there are as many as states: what else anyone may have written is not kept. */
const leavesAt = keptByLeaves(leavesNamed);

function leavesNamed(index: GraphIndex, paths: readonly string[]): Leaves | undefined {
  if (paths.some((path) => !index.nodes.has(path) || index.nodes.get(path)?.type === "history"))
    return undefined;
  const leaves = enter(index, paths);
  // Two states of one choice: the second is missing from what was entered.
  return paths.every((path) => isActive(leaves, path)) ? leaves : undefined;
}

function commonAncestor(paths: readonly string[]): string {
  const [first = "", ...others] = paths;
  // A proper ancestor: an edge from a state to itself leaves and enters it.
  const candidates = lineageOf(first).slice(1);
  return candidates.find((path) => others.every((other) => other !== path && isWithin(other, path))) ?? "";
}
