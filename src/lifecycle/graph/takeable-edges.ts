// Which edges may be taken from where the application is, and what beside their event decides it: an edge is hidden by one
// that the machine would take before it, and what the graph does by itself has been done where the application rests.
import {
  edgesOf,
  follow,
  formatLeaves,
  isActive,
  isWithin,
  type GraphIndex,
  type Leaves,
} from "../../statechart/configuration.ts";
import type { GraphEdge } from "../../statechart/graph.ts";
import { isDue, stateDone } from "./edge-roles.ts";
import { takerOf } from "./edge-taker.ts";

/** The edges out of a configuration that some event may take, inner states first. */
export function takeableEdges(index: GraphIndex, leaves: Leaves): readonly GraphEdge[] {
  const all = edgesOf(index, leaves);
  return all.filter(
    (edge) =>
      isDue(index, edge, leaves) &&
      !isIdle(index, leaves, edge) &&
      !before(all, edge).some(({ guard }) => guard === undefined || guard === edge.guard),
  );
}

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
  const takesItself = edge.kind === "always" || edge.eventType.startsWith(stateDone);
  return takesItself && way.every((leaves) => isActive(leaves, edge.source));
}

/** What must hold of guards for an edge to be taken once its event is there; empty where nothing must. */
export function guardClause(index: GraphIndex, leaves: Leaves, edge: GraphEdge): string {
  const needed = edge.guard === undefined ? "" : `, if the guard ${edge.guard} is open`;
  const others = [...new Set(guardsBefore(index, leaves, edge))];
  const unless = others.map((guard) => `the guard ${guard} is open`).join(" or ");
  return `${needed}${others.length === 0 ? "" : `, unless ${unless}`}`;
}
