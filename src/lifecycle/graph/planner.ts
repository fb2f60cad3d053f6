// The way from where the application is to where it should be: a search over the graph, edges weighted by who can take
// them, made of edges that can be relied on. Planned again each cycle; only the first hop is ever acted on.
import { enter, follow, formatLeaves, isWithin, type Leaves } from "../../statechart/configuration.ts";
import type { GraphEdge } from "../../statechart/graph.ts";
import { takerOf, type EdgeTaker } from "./edge-taker.ts";
import { isPassing, relianceOf, type PlannedGraph } from "./reliance.ts";
import { edgesOnEntry, isClosedAtRest, takeableEdges } from "./takeable-edges.ts";

/** One edge of a plan and where it leads. */
export interface Hop {
  readonly edge: GraphEdge;
  readonly to: Leaves;
}

/** What a plan is for and may be made of. */
export interface PlanOptions {
  /** The desired state: an edge `desired.<state>` was drawn for this very target, whoever has to lead on from there. */
  readonly target?: string;
  /** Every `desired` edge counts as drawn for the target. */
  readonly forAnyTarget?: boolean;
  /** The application rests where the path begins: what the graph does by itself there is kept from it by a guard. */
  readonly atRest?: boolean;
  /** Edges that are left out. */
  readonly without?: ReadonlySet<GraphEdge>;
  /** Also what cannot be relied on: failures, deadlines, unexpected observations. To be reported, never to be acted on. */
  readonly withUnexpected?: boolean;
}

/** Configurations considered before a search is given up; parallel states multiply them. */
const searchLimit = 2_000;

/**
 * The cheapest way to a configuration that satisfies the goal: fewest hops among those that happen by themselves or by
 * the operator; edges that only a changed spec or a person takes come last.
 *
 * **Guarantees**: made of edges that can be relied on (see `relianceOf`); the operator goes towards a person's edge, or
 * to an end after which a new life begins, only where it is already on that path or by an edge drawn for the target;
 * guards count as open, but for {@link PlanOptions.atRest}; empty when the goal is satisfied already; undefined when no path
 * leads there. The same input gives the same plan.
 */
export function planPath(
  planned: PlannedGraph,
  from: Leaves,
  isGoal: (leaves: Leaves) => boolean,
  options: PlanOptions = {},
): readonly Hop[] | undefined {
  const { index } = planned;
  const { without = new Set(), atRest = false } = options;
  const settled = new Map<string, number>();
  const start: Way = { leaves: from, bound: 0, hop: undefined, before: undefined };
  const frontier = new Map<number, Way[]>([[0, [start]]]);
  while (frontier.size > 0 && settled.size < searchLimit) {
    const cost = Math.min(...frontier.keys());
    const ways = frontier.get(cost) ?? [];
    const way = ways.shift();
    if (ways.length === 0) frontier.delete(cost);
    if (way === undefined) continue;
    const key = formatLeaves(way.leaves);
    // Who is less bound may go wherever the others may.
    if ((settled.get(key) ?? Infinity) <= way.bound) continue;
    settled.set(key, way.bound);
    if (isGoal(way.leaves)) return hopsOf(way);
    const passed = leavesOf(way);
    const open = [...takeableEdges(index, way.leaves), ...newLife(planned, way.leaves)].filter(
      (edge) => !atRest || !isClosedAtRest(edge, passed),
    );
    for (const edge of way.before === undefined ? open : edgesOnEntry(open)) {
      const weight = weightOf(planned, edge, way, options);
      if (weight === undefined || without.has(edge)) continue;
      const to = edge.event === beginEvent ? enter(index, edge.targets) : follow(index, way.leaves, edge);
      const own = boundBy(planned, edge, options);
      const bound = own > way.bound ? own : way.bound;
      const total = cost + weight;
      const same = frontier.get(total);
      const next: Way = { leaves: to, bound, hop: { edge, to }, before: way };
      if (same === undefined) frontier.set(total, [next]);
      else same.push(next);
    }
  }
  return undefined;
}

/** Every state that some target may lead to, the ones active now included; in document order. */
export function reachableStates(planned: PlannedGraph, from: Leaves): readonly string[] {
  const seen = new Set<string>(from);
  planPath(
    planned,
    from,
    (leaves) => {
      for (const leaf of leaves) seen.add(leaf);
      return false;
    },
    { forAnyTarget: true },
  );
  return planned.index.graph.nodes
    .map((node) => node.path)
    .filter((path) => [...seen].some((leaf) => leaf === path || leaf.startsWith(`${path}:`)));
}

interface Way {
  readonly leaves: Leaves;
  /** 1: manual intervention is needed on the path: no new life may follow. 2: the operator acts: nothing but sure edges may. */
  readonly bound: 0 | 1 | 2;
  readonly hop: Hop | undefined;
  readonly before: Way | undefined;
}

function hopsOf(way: Way): readonly Hop[] {
  const hops: Hop[] = [];
  for (let at: Way | undefined = way; at?.hop !== undefined; at = at.before) hops.push(at.hop);
  return hops.reverse();
}

function leavesOf(way: Way): readonly Leaves[] {
  const all: Leaves[] = [];
  for (let at: Way | undefined = way; at !== undefined; at = at.before) all.push(at.leaves);
  return all;
}

/** What an edge binds the rest of the path to. */
function boundBy(
  planned: PlannedGraph,
  edge: GraphEdge,
  { target, forAnyTarget = false }: PlanOptions,
): 0 | 1 | 2 {
  if (relianceOf(planned, edge) === "person") return 1;
  if (takerOf(edge) !== "operator" || forAnyTarget) return 0;
  const drawnFor = edge.event.slice("desired.".length);
  return target !== undefined && isWithin(target, drawnFor) ? 0 : 2;
}

/** The event of the hop from an end into a new life. */
export const beginEvent = "begin";

/** After its end, an application that is desired elsewhere begins a new life; XState lets no edge lead out of a final state. */
export function newLife({ index }: Pick<PlannedGraph, "index">, leaves: Leaves): readonly GraphEdge[] {
  const [leaf] = leaves;
  const node = leaf === undefined ? undefined : index.nodes.get(leaf);
  if (leaves.length !== 1 || node?.type !== "final" || node.parent !== undefined) return [];
  const { initial } = index.graph;
  return [
    {
      source: node.path,
      targets: [initial],
      event: beginEvent,
      kind: "always",
      eventType: beginEvent,
      actions: [],
      reenter: false,
    },
  ];
}

function weightOf(
  planned: PlannedGraph,
  edge: GraphEdge,
  { bound }: Way,
  { withUnexpected = false }: PlanOptions,
): number | undefined {
  const taker = takerOf(edge);
  if (edge.targets.length === 0 || taker === "nobody") return undefined;
  const reliance = relianceOf(planned, edge);
  if (reliance === "unexpected") return withUnexpected ? unexpectedWeight : undefined;
  const limit = edge.event === beginEvent ? 0 : reliance === "person" ? 1 : 2;
  if (bound > limit && !withUnexpected) return undefined;
  // Out of a stable state, an observation is unexpected rather than progress.
  if (taker === "observation" && !isPassing(planned, edge.source)) return unlikelyWeight;
  return taker === "failure" ? undefined : weights[taker];
}

const unlikelyWeight = 20;
const unexpectedWeight = 5_000;

const weights: Readonly<Record<Exclude<EdgeTaker, "failure" | "nobody">, number>> = {
  operator: 1,
  observation: 1,
  task: 1,
  graph: 1,
  timer: 2,
  spec: 500,
  human: 1_000,
};
