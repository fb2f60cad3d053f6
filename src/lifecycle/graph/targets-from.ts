// Which states the operator can lead to from where the application is, each as a target of its own. Read by the checks of a machine, and
// by the rules of a CRD, which ask it for every state: what is reached is found once for the whole graph, as a search for each pair of
// states would take hours where there are many.
import {
  enter,
  formatLeaves,
  isActive,
  isWithin,
  lineageOf,
  type Leaves,
} from "../../statechart/configuration.ts";
import { planPath, reachableStates } from "./planner.ts";
import { possibleHops, type PossibleHop } from "./possible-hops.ts";
import type { PlannedGraph } from "./reliance.ts";
import type { Roles } from "./roles.ts";

/** Says of a state whether a plan leads to it, whatever else is desired or guarded. */
export type LeadsTo = (state: string) => boolean;

/** Which states can be led to from a configuration. */
export function targetsFrom(planned: PlannedGraph, from: Leaves): LeadsTo {
  const { isReached, isEnteredByItsEdges } = reachOf(planned);
  // Without a target no edge counts as drawn for it, so that what is reached is reached for any.
  const reached = isReached(from);
  return (state) =>
    reached(state) ||
    (!isEnteredByItsEdges(state) &&
      planPath(planned, from, (leaves) => isActive(leaves, state), { target: state }) !== undefined);
}

/** What is found once for a graph. */
interface Reach {
  /** Whether a state is reached from a configuration, if no edge is drawn for it. */
  readonly isReached: (from: Leaves) => LeadsTo;
  /** Whether each edge that is drawn for a target enters it: then no path is open for it that is not open for others. */
  readonly isEnteredByItsEdges: LeadsTo;
}

const found = new WeakMap<Roles, Reach>();

function reachOf(planned: PlannedGraph): Reach {
  const known = found.get(planned.roles) ?? findReach(planned);
  found.set(planned.roles, known);
  return known;
}

function findReach(planned: PlannedGraph): Reach {
  const { graph } = planned.index;
  const drawn = Map.groupBy(
    graph.edges.filter(({ targets }) => targets.length > 0),
    ({ event }) => event,
  );
  const isEnteredByItsEdges = (state: string): boolean =>
    lineageOf(state)
      .flatMap((path) => drawn.get(`desired.${path}`) ?? [])
      .every(({ targets }) => targets.some((target) => isWithin(target, state)));
  return { isReached: reachedStates(planned), isEnteredByItsEdges };
}

/** A configuration on a path, and what the path is bound to: as in planner.ts. */
interface Stop {
  readonly leaves: Leaves;
  readonly key: string;
  readonly bound: 0 | 1 | 2;
}

/** Configurations that are considered; parallel states multiply them. */
const mostStops = 6_000;

function reachedStates(planned: PlannedGraph): (from: Leaves) => LeadsTo {
  const { index } = planned;
  const stops: Stop[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (stop: Stop): number => {
    const name = nameOf(stop);
    const known = numbers.get(name);
    if (known !== undefined) return known;
    numbers.set(name, stops.length);
    stops.push(stop);
    return stops.length - 1;
  };
  const firstFrom = (leaves: Leaves): readonly Stop[] =>
    nextOf(possibleHops(planned, leaves, formatLeaves(leaves)).all, 0);
  const starts = index.graph.nodes
    .filter(({ type }) => type !== "history")
    .map(({ path }) => enter(index, [path]));
  for (const stop of starts.flatMap(firstFrom)) numberOf(stop);
  const next: number[][] = [];
  // It grows while it is walked.
  for (let at = 0; at < stops.length && at <= mostStops; at += 1) {
    const { leaves, key, bound } = stops[at] as Stop;
    next.push(nextOf(possibleHops(planned, leaves, key).onEntry, bound).map(numberOf));
  }
  const bySearch = (from: Leaves): LeadsTo => {
    const reached = new Set(reachableStates(planned, from, {}));
    return (state) => reached.has(state);
  };
  if (stops.length > mostStops) return bySearch;
  const reached = closuresOf(
    next,
    stops.map(({ leaves }) => positionsOf(planned, leaves)),
    index.graph.nodes.length,
  );
  return (from) => {
    const first = firstFrom(from).map((stop) => numbers.get(nameOf(stop)));
    if (first.includes(undefined)) return bySearch(from);
    const own = new Set(from.flatMap(lineageOf));
    return (state) => {
      const position = index.order.get(state);
      return (
        own.has(state) ||
        (position !== undefined &&
          first.some((number) => isMarked(reached[number ?? -1] ?? new Uint32Array(), position)))
      );
    };
  };
}

function nameOf({ key, bound }: Stop): string {
  return `${bound} ${key}`;
}

/** Where the hops lead that a path may go on by, for no target. */
function nextOf(hops: readonly PossibleHop[], before: Stop["bound"]): readonly Stop[] {
  return hops.flatMap(({ to, key, isUnexpected, weight, limit, taker }) => {
    if (isUnexpected || weight === undefined || before > limit) return [];
    const own = limit === 1 ? 1 : taker === "operator" ? 2 : 0;
    return [{ leaves: to, key, bound: own > before ? own : before }];
  });
}

/** Positions in document order of the active states. */
function positionsOf({ index }: PlannedGraph, leaves: Leaves): readonly number[] {
  return leaves.flatMap(lineageOf).flatMap((path) => index.order.get(path) ?? []);
}

/** A set of positions, a bit for each. */
type Marks = Uint32Array;

function isMarked(marks: Marks, position: number): boolean {
  return ((marks[position >>> 5] ?? 0) & (1 << (position & 31))) !== 0;
}

/**
 * What is met from each node of a graph, itself included: the marks of all nodes that lie on a circle are the same (Tarjan's strongly
 * connected components, in the order in which they are completed). Without recursion.
 */
function closuresOf(
  next: readonly (readonly number[])[],
  own: readonly (readonly number[])[],
  size: number,
): readonly Marks[] {
  const closures: Marks[] = [];
  const order = new Map<number, number>();
  const lowest = new Map<number, number>();
  const open: number[] = [];
  const isOpen = new Set<number>();
  const lower = (node: number, to: number): void => {
    lowest.set(node, Math.min(lowest.get(node) ?? Infinity, to));
  };
  const complete = (node: number): void => {
    const marks: Marks = new Uint32Array((size >>> 5) + 1);
    const circle = open.splice(open.lastIndexOf(node));
    for (const each of circle) {
      isOpen.delete(each);
      for (const position of own[each] ?? []) {
        const word = position >>> 5;
        marks[word] = (marks[word] ?? 0) | (1 << (position & 31));
      }
    }
    for (const closure of new Set(
      circle.flatMap((each) => (next[each] ?? []).map((other) => closures[other])),
    )) {
      for (const [word, bits] of closure?.entries() ?? []) marks[word] = (marks[word] ?? 0) | bits;
    }
    for (const each of circle) closures[each] = marks;
  };
  for (const start of next.keys()) {
    const path = order.has(start) ? [] : [{ node: start, at: 0 }];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { node, at } = top;
      if (at === 0) {
        order.set(node, order.size);
        lower(node, order.get(node) ?? 0);
        open.push(node);
        isOpen.add(node);
      }
      const other = next[node]?.[at];
      top.at += 1;
      if (other === undefined) {
        path.pop();
        if (lowest.get(node) === order.get(node)) complete(node);
        const before = path.at(-1);
        if (before !== undefined) lower(before.node, lowest.get(node) ?? Infinity);
      } else if (!order.has(other)) path.push({ node: other, at: 0 });
      else if (isOpen.has(other)) lower(node, order.get(other) ?? Infinity);
    }
  }
  return closures;
}
