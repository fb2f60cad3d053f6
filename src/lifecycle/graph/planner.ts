// The way from where the application is to where it should be: a search over the graph, edges weighted by who can take
// them, made of edges that can be relied on. Planned again each cycle; only the first hop is ever acted on.
import { formatLeaves, isWithin, lineageOf, type Leaves } from "../../statechart/configuration.ts";
import type { GraphEdge } from "../../statechart/graph.ts";
import { beginEvent, possibleHops, type Hop, type PossibleHop } from "./possible-hops.ts";
import type { PlannedGraph } from "./reliance.ts";
import { edgesOnEntry, isClosedAtRest } from "./takeable-edges.ts";

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
  /** No new life begins on the path. */
  readonly inOneLife?: boolean;
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
  const { without = new Set(), atRest = false, inOneLife = false } = options;
  const settled = new Map<string, number>();
  const key = formatLeaves(from);
  const start: Way = { leaves: from, key, bound: 0, hop: undefined, before: undefined };
  const frontier = new Map<number, Way[]>([[0, [start]]]);
  while (frontier.size > 0 && settled.size < searchLimit) {
    const cost = Math.min(...frontier.keys());
    const ways = frontier.get(cost) ?? [];
    const way = ways.shift();
    if (ways.length === 0) frontier.delete(cost);
    if (way === undefined) continue;
    // Who is less bound may go wherever the others may.
    if ((settled.get(way.key) ?? Infinity) <= way.bound) continue;
    settled.set(way.key, way.bound);
    if (isGoal(way.leaves)) return hopsOf(way);
    for (const hop of atRest ? hopsAtRest(planned, way) : hopsFrom(planned, way)) {
      const weight = weightOf(hop, way, options);
      if (weight === undefined || without.has(hop.edge)) continue;
      if (inOneLife && hop.edge.event === beginEvent) continue;
      const own = boundBy(hop, options);
      const bound = own > way.bound ? own : way.bound;
      if ((settled.get(hop.key) ?? Infinity) <= bound) continue;
      const total = cost + weight;
      const same = frontier.get(total);
      const next: Way = { leaves: hop.to, key: hop.key, bound, hop, before: way };
      if (same === undefined) frontier.set(total, [next]);
      else same.push(next);
    }
  }
  return undefined;
}

function hopsFrom(planned: PlannedGraph, { leaves, key, before }: Way): readonly PossibleHop[] {
  const { all, onEntry } = possibleHops(planned, leaves, key);
  return before === undefined ? all : onEntry;
}

/** The same without what is closed as long as the application rests. */
function hopsAtRest(planned: PlannedGraph, way: Way): readonly PossibleHop[] {
  const passed = leavesOf(way);
  const open = possibleHops(planned, way.leaves, way.key).all.filter(
    ({ edge }) => !isClosedAtRest(edge, passed),
  );
  if (way.before === undefined) return open;
  const entered = new Set(edgesOnEntry(open.map(({ edge }) => edge)));
  return open.filter(({ edge }) => entered.has(edge));
}

/** Every state that a path leads to, the ones active now included; in document order. By default, those that some target may lead to. */
export function reachableStates(
  planned: PlannedGraph,
  from: Leaves,
  options: PlanOptions = { forAnyTarget: true },
): readonly string[] {
  const seen = new Set<string>(from);
  planPath(
    planned,
    from,
    (leaves) => {
      for (const leaf of leaves) seen.add(leaf);
      return false;
    },
    options,
  );
  const reached = new Set([...seen].flatMap(lineageOf));
  return planned.index.graph.nodes.map((node) => node.path).filter((path) => reached.has(path));
}

interface Way {
  readonly leaves: Leaves;
  /** `leaves` as a text. */
  readonly key: string;
  /** 1: manual intervention is needed on the path: no new life may follow. 2: the operator acts: nothing but sure edges may. */
  readonly bound: 0 | 1 | 2;
  readonly hop: PossibleHop | undefined;
  readonly before: Way | undefined;
}

function hopsOf(way: Way): readonly Hop[] {
  const hops: Hop[] = [];
  for (let at: Way | undefined = way; at?.hop !== undefined; at = at.before) {
    const { edge, to } = at.hop;
    hops.push({ edge, to });
  }
  return hops.reverse();
}

function leavesOf(way: Way): readonly Leaves[] {
  const all: Leaves[] = [];
  for (let at: Way | undefined = way; at !== undefined; at = at.before) all.push(at.leaves);
  return all;
}

/** What a hop binds the rest of the path to. */
function boundBy(
  { edge, limit, taker }: PossibleHop,
  { target, forAnyTarget = false }: PlanOptions,
): 0 | 1 | 2 {
  if (limit === 1) return 1;
  if (taker !== "operator" || forAnyTarget) return 0;
  const drawnFor = edge.event.slice("desired.".length);
  return target !== undefined && isWithin(target, drawnFor) ? 0 : 2;
}

function weightOf(
  { isUnexpected, limit, weight }: PossibleHop,
  { bound }: Way,
  { withUnexpected = false }: PlanOptions,
): number | undefined {
  if (isUnexpected) return withUnexpected ? unexpectedWeight : undefined;
  return bound > limit && !withUnexpected ? undefined : weight;
}

const unexpectedWeight = 5_000;
