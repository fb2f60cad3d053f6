// What an edge is for, by the tags of states and the shape of the graph: a failure, or one that leads on by itself.
// No name of a state means anything here. Read by roles.ts (what kind of state is it?) and reliance.ts (may a plan use it?).
import { enter, isWithin, lineageOf, type GraphIndex } from "../../statechart/configuration.ts";
import type { GraphEdge, GraphNode } from "../../statechart/graph.ts";
import { takerOf, type EdgeTaker } from "./edge-taker.ts";

/** What the edges of a graph are for, as far as nobody decides to take them. */
export interface EdgeRoles {
  /**
   * `onError`, deadlines beside work, and edges into failure or intervention states: they make no state transient and are
   * part of no plan.
   */
  readonly failures: ReadonlySet<GraphEdge>;
  /** Whether an edge leads on by itself from this state: its source, or one inside it. */
  readonly leadsOn: (edge: GraphEdge, from?: string) => boolean;
  /**
   * Whether an observation leads back from this state to one that may be stayed in and that was passed on the path here, from
   * where only the operator or a person leads here again.
   */
  readonly leadsBack: (edge: GraphEdge, from: string) => boolean;
}

/** Sorts the edges of a graph. Pure; the same graph gives the same answer, whatever its states are called. */
export function edgeRolesOf(index: GraphIndex): EdgeRoles {
  const { edges } = index.graph;
  const failures = new Set(edges.filter((edge) => takerOf(edge) === "failure" || entersFailure(index, edge)));
  const moving = edges.filter((edge) => isMoving(edge) && !failures.has(edge));
  const work = moving.filter((edge) => edge.kind !== "after");
  // Whether an observation is progress depends on what is a deadline, and the other way round: at first, any timer beside
  // something else counts as one.
  const early = new Set(deadlinesBeside(index, work));
  const { isOnward, isReturn } = progressIn(
    index,
    moving.filter((edge) => !early.has(edge)),
  );
  const deadlines = deadlinesBeside(
    index,
    work.filter((edge) => isOnward(edge, edge.source)),
  );
  for (const deadline of deadlines) failures.add(deadline);
  const leading = new Set(moving.filter((edge) => !failures.has(edge) && !isStable(index, edge.source)));
  return {
    failures,
    leadsOn: (edge, from = edge.source) => leading.has(edge) && isOnward(edge, from),
    leadsBack: (edge, from) => leading.has(edge) && takerOf(edge) === "observation" && isReturn(edge, from),
  };
}

function isStable(index: GraphIndex, path: string): boolean {
  return index.nodes.get(path)?.tags.includes("stable") === true;
}

/** Whether a state, or one around it, has this tag. */
export function hasTag(index: GraphIndex, path: string, tag: string): boolean {
  return lineageOf(path).some((each) => index.nodes.get(each)?.tags.includes(tag) === true);
}

const byThemselves: ReadonlySet<EdgeTaker> = new Set(["observation", "task", "graph", "timer"]);

/** Whether an edge is taken without an operator's decision and without a person, and leads somewhere. */
function isMoving(edge: GraphEdge): boolean {
  return edge.targets.length > 0 && byThemselves.has(takerOf(edge));
}

/** Whether an edge leads from outside into a state that has failed or waits for a person. */
function entersFailure(index: GraphIndex, { source, targets }: GraphEdge): boolean {
  return targets.some((target) =>
    lineageOf(target).some((path) => !isWithin(source, path) && isFailing(index, path)),
  );
}

function isFailing(index: GraphIndex, path: string): boolean {
  const tags = index.nodes.get(path)?.tags ?? [];
  return tags.includes("failure") || tags.includes("intervention");
}

/** The timers of states out of which something else leads by itself, from them or from within. */
function deadlinesBeside({ graph }: GraphIndex, work: readonly GraphEdge[]): readonly GraphEdge[] {
  const left = new Set(
    work.flatMap(({ source, targets }) =>
      [...lineageOf(source), ""].filter((path) => targets.some((target) => !isWithin(target, path))),
    ),
  );
  return graph.edges.filter(({ kind, source }) => kind === "after" && left.has(source));
}

/**
 * Whether an edge leads on rather than back. What a task or the graph does is always progress. So is a timer, unless it
 * starts work that always comes back (a renewal, a check). An observation is, when it leads to the end or farther away from the initial state, and does not belong to one of these:
 *
 * - it leads into a state tagged `degraded`, or to work that always leads back;
 * - inside another state, observations lead to and fro;
 * - it leads away from a state out of which the operator may lead elsewhere than to the end, over states out of which it may
 *   not, and always back (`Normal → observed.Down → Down → observed.Normal → Normal`);
 * - it is an incident: not named for the state it enters, while the way back is (`observed.Down` → Repairing →
 *   `observed.Up` → Up), while a task is at work, or while the operator may lead elsewhere than to the end.
 *
 * What is no farther counts all the same when the application has not come from there and does not return by itself: an edge
 * of the operator or of a person may be a short way round.
 */
function progressIn(
  index: GraphIndex,
  moving: readonly GraphEdge[],
): Record<"isOnward" | "isReturn", (edge: GraphEdge, from: string) => boolean> {
  const counted = [...moving, ...decidedEdges(index)];
  const countedFrom = Map.groupBy(counted, ({ source }) => source);
  const distances = distancesOf(index, counted);
  const distanceOf = (path: string): number => distances.get(path) ?? Infinity;
  // Where the application may stay, no path goes on by itself.
  const going = moving.filter((edge) => !isStable(index, edge.source));
  const all = new Ways(index, going);
  const work = new Ways(
    index,
    going.filter((edge) => takerOf(edge) !== "observation"),
  );
  const ends = new Set(index.graph.nodes.filter(isTopFinal).map(({ path }) => path));
  const isDecided = (state: string): boolean =>
    edgesFrom(index, state).some(
      (edge) => takerOf(edge) === "operator" && edge.targets.length > 0 && !ends.has(wordOf(edge)),
    );
  // The end of what is inside a state is not work of its own.
  const atWork = new Set(
    moving
      .filter((edge) => takerOf(edge) === "task" && !edge.eventType.startsWith(stateDone))
      .map(({ source }) => source),
  );
  const holdingWork = new Set([...atWork].flatMap(lineageOf));
  const isOccupied = (state: string): boolean =>
    isDecided(state) ||
    holdingWork.has(state) ||
    [...lineageOf(state), ""].some((around) => atWork.has(around));
  const movingInto = new Map<string, GraphEdge[]>();
  for (const edge of moving) {
    for (const target of edge.targets) {
      const others = movingInto.get(target) ?? [];
      others.push(edge);
      movingInto.set(target, others);
    }
  }
  const isIncident = (edge: GraphEdge, from: string, target: string): boolean => {
    if (isNamedFor(edge, target)) return isAway(from, target);
    const returns = (movingInto.get(from) ?? []).some((other) => isNamedFor(other, from));
    return isOccupied(from) || (returns && alwaysReturns(all, target, from));
  };
  /** The operator leads on from here, but from no other state of the circle, and all of that leads back. */
  const isAway = (from: string, target: string): boolean =>
    isDecided(from) && !metBetween(all, target, from).some(isDecided) && alwaysReturns(all, target, from);
  const isProgress = (edge: GraphEdge, from: string, target: string): boolean => {
    if (ends.has(target)) return true;
    if (hasTag(index, target, "degraded") && !hasTag(index, from, "degraded")) return false;
    if (alwaysReturns(work, target, from) || isIncident(edge, from, target)) return false;
    const isFarther = distanceOf(target) > distanceOf(from);
    if (isFarther && !target.includes(":")) return true;
    return !alwaysReturns(all, target, from) && (isFarther || !isBetween(index, countedFrom, target, from));
  };
  const tasks = new Ways(
    index,
    moving.filter((edge) => takerOf(edge) === "task" || (edge.kind === "always" && edge.guard === undefined)),
  );
  const begun = new Set(entered(index, [index.graph.initial]));
  const isReturn = ({ targets }: GraphEdge, from: string): boolean =>
    targets.some(
      (target) =>
        !begun.has(target) &&
        !alwaysReturns(all, target, from) &&
        isBetween(index, countedFrom, target, from),
    );
  const isOnward = (edge: GraphEdge, from: string): boolean => {
    // A timer that only starts work which comes back is a round: the application stays.
    if (takerOf(edge) === "timer") {
      return edge.targets.some((target) => !alwaysReturns(tasks, target, from));
    }
    if (takerOf(edge) !== "observation") return true;
    // One that stays inside its source is judged from where the application is in there.
    return edge.targets.some((target) =>
      isProgress(edge, isWithin(target, edge.source) ? from : edge.source, target),
    );
  };
  return { isOnward: remembering(isOnward), isReturn: remembering(isReturn) };
}

/** The same answer for the same edge from the same state is found once. */
function remembering(
  judge: (edge: GraphEdge, from: string) => boolean,
): (edge: GraphEdge, from: string) => boolean {
  const known = new Map<GraphEdge, Map<string, boolean>>();
  return (edge, from) => {
    const ofEdge = known.get(edge) ?? new Map<string, boolean>();
    known.set(edge, ofEdge);
    const answer = ofEdge.get(from) ?? judge(edge, from);
    ofEdge.set(from, answer);
    return answer;
  };
}

function isTopFinal({ type, parent }: GraphNode): boolean {
  return type === "final" && parent === undefined;
}

/** What is observed or desired by an edge. */
function wordOf({ event }: GraphEdge): string {
  return event.slice(event.indexOf(".") + 1);
}

/** Whether an observation is named for the state that it enters, or for one around it. */
function isNamedFor(edge: GraphEdge, state: string): boolean {
  if (takerOf(edge) !== "observation") return false;
  const word = wordOf(edge);
  return lineageOf(state).some((path) => path === word || path.endsWith(`:${word}`));
}

/** Whether the application has passed through a state, wherever it came from, when it is in another one. */
function isBetween(
  index: GraphIndex,
  edges: ReadonlyMap<string, readonly GraphEdge[]>,
  passed: string,
  state: string,
): boolean {
  const reached = new Set(["", ...entered(index, [index.graph.initial])]);
  if (reached.has(passed)) return true;
  // A set is walked in the order of its growth: what is added meanwhile has its turn.
  for (const path of reached) {
    for (const { targets } of edges.get(path) ?? []) {
      if (targets.some((target) => isWithin(target, passed))) continue;
      for (const next of entered(index, targets)) reached.add(next);
    }
  }
  return !reached.has(state);
}

/** How far an edge leads away: one that somebody has to take is a long way round. */
const lengths: Readonly<Partial<Record<EdgeTaker, number>>> = {
  observation: 1,
  task: 1,
  graph: 1,
  timer: 1,
  operator: 50,
  spec: 500,
  human: 1_000,
};

/** The length of the shortest way to each state from the initial one, over no failure edge. */
function distancesOf(index: GraphIndex, counted: readonly GraphEdge[]): ReadonlyMap<string, number> {
  const edges = Map.groupBy(counted, ({ source }) => source);
  const distances = new Map<string, number>();
  const waiting = new Map<number, string[]>([[0, ["", ...entered(index, [index.graph.initial])]]]);
  while (waiting.size > 0) {
    const distance = Math.min(...waiting.keys());
    const paths = waiting.get(distance) ?? [];
    waiting.delete(distance);
    for (const path of paths) {
      if (distances.has(path)) continue;
      distances.set(path, distance);
      for (const edge of edges.get(path) ?? []) {
        const farther = distance + (lengths[takerOf(edge)] ?? Infinity);
        const others = waiting.get(farther) ?? [];
        others.push(...entered(index, edge.targets).filter((next) => !distances.has(next)));
        waiting.set(farther, others);
      }
    }
  }
  return distances;
}

/** The edges that the operator or a person takes, and that do not lead into a failure. */
function decidedEdges(index: GraphIndex): readonly GraphEdge[] {
  return index.graph.edges.filter((edge) => {
    const taker = takerOf(edge);
    const isDecided = taker === "operator" || taker === "spec" || taker === "human";
    return isDecided && edge.targets.length > 0 && !entersFailure(index, edge);
  });
}

/** The ways that some of the edges open, from innermost state to innermost state. */
class Ways {
  readonly #index: GraphIndex;
  readonly #edges: ReadonlySet<GraphEdge>;
  readonly #next = new Map<string, readonly string[]>();

  constructor(index: GraphIndex, edges: readonly GraphEdge[]) {
    this.#index = index;
    this.#edges = new Set(edges);
  }

  /** The innermost states that one edge leads to. */
  next(leaf: string): readonly string[] {
    const known = this.#next.get(leaf);
    if (known !== undefined) return known;
    const found = edgesFrom(this.#index, leaf)
      .filter((edge) => this.#edges.has(edge) && isDue(this.#index, edge, [leaf]))
      .flatMap(({ targets }) => targets.flatMap((target) => enter(this.#index, [target], target)));
    this.#next.set(leaf, found);
    return found;
  }

  /** The innermost states that they lead to from a state, as far as another one, and by which of them each is entered. */
  walk(state: string, home: string): Walk {
    const before = new Map<string, string[]>();
    const met = new Set(enter(this.#index, [state], state));
    // A set is walked in the order of its growth: what is added meanwhile has its turn.
    for (const leaf of met) {
      if (isWithin(leaf, home)) continue;
      for (const next of this.next(leaf)) {
        const others = before.get(next) ?? [];
        others.push(leaf);
        before.set(next, others);
        met.add(next);
      }
    }
    return { met, before };
  }
}

interface Walk {
  readonly met: ReadonlySet<string>;
  readonly before: ReadonlyMap<string, readonly string[]>;
}

/** Whether every way that is open from a state leads to another one, so that it is only away for a while. */
function alwaysReturns(ways: Ways, state: string, home: string): boolean {
  const { met, before } = ways.walk(state, home);
  const returning = new Set([...met].filter((leaf) => isWithin(leaf, home)));
  for (const leaf of returning) for (const each of before.get(leaf) ?? []) returning.add(each);
  return [...met].every((leaf) => returning.has(leaf));
}

/** The innermost states that are met on the ways from a state, as far as another one. */
function metBetween(ways: Ways, state: string, home: string): readonly string[] {
  return [...ways.walk(state, home).met].filter((leaf) => !isWithin(leaf, home));
}

/** The edges of a state and of all around it. */
export function edgesFrom(index: GraphIndex, path: string): readonly GraphEdge[] {
  return [...lineageOf(path), ""].flatMap((source) => index.edges.get(source) ?? []);
}

/** The event of a state whose inner states have all come to their ends. */
export const stateDone = "xstate.done.state.";

/** The end of a compound state is due once a final state inside it is active; that of a parallel one, in every region. */
export function isDue(
  index: GraphIndex,
  { source, eventType }: GraphEdge,
  leaves: Iterable<string>,
): boolean {
  if (!eventType.startsWith(stateDone)) return true;
  const active = new Set(leaves);
  const hasEnded = (path: string): boolean =>
    (index.children.get(path) ?? []).some(({ path: inner, type }) => type === "final" && active.has(inner));
  return index.nodes.get(source)?.type === "parallel"
    ? (index.children.get(source) ?? []).every(({ path }) => hasEnded(path))
    : hasEnded(source);
}

/** The states that are active once these are: with those around and those first entered inside. */
function entered(index: GraphIndex, paths: readonly string[]): readonly string[] {
  return [...new Set(enter(index, paths).flatMap(lineageOf))];
}
