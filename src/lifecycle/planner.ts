// The way from where the application is to where it should be: a search over the graph, edges weighted by who can take
// them. Planned anew each cycle from what is observed; only the first hop is ever acted on.
import { edgesOf, follow, formatLeaves, type GraphIndex, type Leaves } from "../statechart/configuration.ts";
import type { GraphEdge } from "../statechart/graph.ts";

/** One edge of a plan and where it leads. */
export interface Hop {
  readonly edge: GraphEdge;
  readonly to: Leaves;
}

/** Who takes an edge: the operator by a wish, the application as it is observed, a task, a timer, the graph itself, …. */
export type EdgeTaker =
  "operator" | "observation" | "task" | "timer" | "graph" | "spec" | "failure" | "human" | "nobody";

/** What the search asks about a graph besides its edges. */
export interface PlannedGraph {
  readonly index: GraphIndex;
  /** Paths of the states that are left by themselves. */
  readonly transient: ReadonlySet<string>;
}

/** Configurations looked at before a search is given up; parallel states multiply them. */
const searchLimit = 2_000;

/** Whether a state is the initial one and called Start: there a life begins, and nobody wants to stay. */
export function beginsLife({ graph }: GraphIndex, path: string): boolean {
  return path === graph.initial && path.startsWith("Start");
}

/** Who takes an edge. */
export function takerOf(edge: GraphEdge): EdgeTaker {
  switch (edge.kind) {
    case "after":
      return "timer";
    case "always":
      return "graph";
    case "done":
      return "task";
    case "error":
      return "failure";
    case "event":
      break;
  }
  if (edge.event === "config.changed") return "spec";
  return families[edge.event.split(".", 1)[0] ?? ""] ?? "nobody";
}

const families: Readonly<Record<string, EdgeTaker>> = {
  desired: "operator",
  observed: "observation",
  human: "human",
};

/**
 * The cheapest way to a configuration that satisfies the goal: fewest hops among those that happen by themselves or by
 * the operator; edges that only a failure, a changed spec or a person takes come last.
 *
 * **Guarantees**: guards count as open; empty when the goal is satisfied already; undefined when no way leads there.
 * The same input gives the same plan.
 */
export function planPath(
  planned: PlannedGraph,
  from: Leaves,
  isGoal: (leaves: Leaves) => boolean,
  without: ReadonlySet<GraphEdge> = new Set(),
): readonly Hop[] | undefined {
  const { index } = planned;
  const settled = new Set<string>();
  const frontier = new Map<number, Way[]>([[0, [{ leaves: from, hop: undefined, before: undefined }]]]);
  while (frontier.size > 0 && settled.size < searchLimit) {
    const cost = Math.min(...frontier.keys());
    const ways = frontier.get(cost) ?? [];
    const way = ways.shift();
    if (ways.length === 0) frontier.delete(cost);
    if (way === undefined) continue;
    const key = formatLeaves(way.leaves);
    if (settled.has(key)) continue;
    settled.add(key);
    if (isGoal(way.leaves)) return hopsOf(way);
    for (const edge of edgesOf(index, way.leaves)) {
      const weight = weightOf(planned, edge);
      if (weight === undefined || without.has(edge)) continue;
      const to = follow(index, way.leaves, edge);
      const total = cost + weight;
      const same = frontier.get(total);
      const next: Way = { leaves: to, hop: { edge, to }, before: way };
      if (same === undefined) frontier.set(total, [next]);
      else same.push(next);
    }
  }
  return undefined;
}

/** Every state that some way leads to, the ones active now included; in document order. */
export function reachableStates(planned: PlannedGraph, from: Leaves): readonly string[] {
  const seen = new Set<string>(from);
  planPath(planned, from, (leaves) => {
    for (const leaf of leaves) seen.add(leaf);
    return false;
  });
  return planned.index.graph.nodes
    .map((node) => node.path)
    .filter((path) => [...seen].some((leaf) => leaf === path || leaf.startsWith(`${path}:`)));
}

interface Way {
  readonly leaves: Leaves;
  readonly hop: Hop | undefined;
  readonly before: Way | undefined;
}

function hopsOf(way: Way): readonly Hop[] {
  const hops: Hop[] = [];
  for (let at: Way | undefined = way; at?.hop !== undefined; at = at.before) hops.push(at.hop);
  return hops.reverse();
}

function weightOf({ index, transient }: PlannedGraph, edge: GraphEdge): number | undefined {
  if (edge.targets.length === 0) return undefined;
  const taker = takerOf(edge);
  if (taker !== "observation") return weights[taker];
  // Out of a state that holds, an observation is an accident rather than progress.
  return transient.has(edge.source) || beginsLife(index, edge.source) ? 1 : 20;
}

const weights: Readonly<Record<EdgeTaker, number | undefined>> = {
  operator: 1,
  observation: 1,
  task: 1,
  graph: 1,
  timer: 2,
  spec: 500,
  failure: 500,
  human: 1_000,
  nobody: undefined,
};
