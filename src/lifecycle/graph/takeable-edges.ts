// Which edges may be taken from where the application is, and what beside their event decides it: an edge is hidden by one
// that the machine would take before it, and what the graph does by itself has been done where the application rests.
import {
  edgesOf,
  follow,
  formatLeaves,
  isActive,
  isWithin,
  keptByLeaves,
  type GraphIndex,
  type Leaves,
} from "../../statechart/configuration.ts";
import type { GraphEdge } from "../../statechart/graph.ts";
import { isDue, stateDone } from "./edge-roles.ts";
import { takerOf } from "./edge-taker.ts";

/** The edges out of a configuration that some event may take, inner states first. */
export const takeableEdges = keptByLeaves((index, leaves): readonly GraphEdge[] => {
  const sooner = new Map<string, GraphEdge[]>();
  return edgesOf(index, leaves).filter((edge) => {
    const before = sooner.get(edge.eventType) ?? [];
    const isHidden = before.some(
      ({ source, guard }) => isWithin(source, edge.source) && (guard === undefined || guard === edge.guard),
    );
    before.push(edge);
    sooner.set(edge.eventType, before);
    return !isHidden && isDue(index, edge, leaves) && !isIdle(index, leaves, edge);
  });
});

/** Whether an edge would be taken in every cycle, because its cause lasts, and leads to where the application is. */
function isIdle(index: GraphIndex, leaves: Leaves, edge: GraphEdge): boolean {
  const taker = takerOf(edge);
  const isLasting = taker === "observation" || taker === "graph";
  return isLasting && formatLeaves(follow(index, leaves, edge)) === formatLeaves(leaves);
}

/** The guards by which another edge is taken for the same event, if one of them is open. */
export function guardsBefore(index: GraphIndex, leaves: Leaves, edge: GraphEdge): readonly string[] {
  return before(edgesOf(index, leaves), edge).flatMap(({ guard }) => guard ?? []);
}

/** The edges that the machine considers first when the event of this one is sent to it. */
function before(all: readonly GraphEdge[], edge: GraphEdge): readonly GraphEdge[] {
  return all
    .slice(0, all.indexOf(edge))
    .filter(({ eventType, source }) => eventType === edge.eventType && isWithin(source, edge.source));
}

/**
 * Whether an edge is closed where the application rests: the graph takes it by itself, at once and for no event, so that only
 * its guard can be what keeps it. It stays closed on the path as long as its state is not left.
 */
export function isClosedAtRest(edge: GraphEdge, way: readonly Leaves[]): boolean {
  return isTakenAtOnce(edge) && way.every((leaves) => isActive(leaves, edge.source));
}

/** Whether the graph takes an edge by itself, as soon as its state is active and its guard is open. */
function isTakenAtOnce({ kind, eventType }: GraphEdge): boolean {
  return kind === "always" || eventType.startsWith(stateDone);
}

/** The edges that the graph takes by itself where it is, as soon as their guards are open, in the order in which it looks at them. */
export function edgesTakenAtOnce(index: GraphIndex, leaves: Leaves): readonly GraphEdge[] {
  return edgesOf(index, leaves).filter((edge) => leadsAtOnce(edge) && isDue(index, edge, leaves));
}

/** Of the edges out of a configuration that was entered a moment ago: none but the graph's own where it leads on in any case. */
export function edgesOnEntry(edges: readonly GraphEdge[]): readonly GraphEdge[] {
  const atOnce = edges.filter(leadsAtOnce);
  return atOnce.some(({ guard }) => guard === undefined) ? atOnce : edges;
}

/** Whether the graph may lead on by an edge by itself, at once. */
function leadsAtOnce(edge: GraphEdge): boolean {
  return isTakenAtOnce(edge) && edge.targets.length > 0;
}

/** The guards by which the graph leads back at once from where an edge leads, if all of them are open; one list for each way. */
function guardsBack(index: GraphIndex, leaves: Leaves, edge: GraphEdge): readonly (readonly string[])[] {
  const [here, first] = [leaves, follow(index, leaves, edge)].map(formatLeaves);
  if (here === first) return [];
  const ways: (readonly string[])[] = [];
  const seen = new Set([first]);
  const goOn = (at: Leaves, guards: readonly string[]): void => {
    for (const next of takeableEdges(index, at).filter(leadsAtOnce)) {
      const to = follow(index, at, next);
      const needed = next.guard === undefined ? guards : [...guards, next.guard];
      const key = formatLeaves(to);
      if (key === here) ways.push([...new Set(needed)]);
      else if (!seen.has(key)) {
        seen.add(key);
        goOn(to, needed);
      }
    }
  };
  goOn(follow(index, leaves, edge), []);
  return ways;
}

/** Whether the graph may lead back at once from where an edge leads, so that nothing would come of it. */
export function mayLeadBack(index: GraphIndex, leaves: Leaves, edge: GraphEdge): boolean {
  return guardsBack(index, leaves, edge).length > 0;
}

/** What must hold of guards for an edge to be taken once its event is there, and to lead away; empty where nothing must. */
export function guardClause(index: GraphIndex, leaves: Leaves, edge: GraphEdge): string {
  const clauses = guardClauses(index, leaves);
  const known = clauses.get(edge) ?? describeGuards(index, leaves, edge);
  clauses.set(edge, known);
  return known;
}

const guardClauses = keptByLeaves(() => new WeakMap<GraphEdge, string>());

function describeGuards(index: GraphIndex, leaves: Leaves, edge: GraphEdge): string {
  const needed = edge.guard === undefined ? "" : `, if the guard ${edge.guard} is open`;
  // What opens the edge itself is open then.
  const back = guardsBack(index, leaves, edge).map((way) => way.filter((guard) => guard !== edge.guard));
  if (back.some((way) => way.length === 0)) return `${needed}, and the graph leads back from there at once`;
  const others = guardsBefore(index, leaves, edge).map((guard) => openClause([guard]));
  const returning = back.map((way) => `${openClause(way)}, which leads back at once`);
  const unless = [...new Set([...others, ...returning])].join(" or ");
  return `${needed}${unless === "" ? "" : `, unless ${unless}`}`;
}

function openClause(guards: readonly string[]): string {
  const named = guards.map((guard) => `the guard ${guard}`).join(" and ");
  return `${named} ${guards.length === 1 ? "is" : "are"} open`;
}
