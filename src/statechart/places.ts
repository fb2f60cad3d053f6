// Where in a graph a name is used by a step: which edge or state to blame when its function throws.
import { activeStates, edgesOf, isWithin, lineageOf, type GraphIndex, type Leaves } from "./configuration.ts";
import type { GraphEdge } from "./graph.ts";

/** A guard or action that a step may have called. */
export interface UsedName {
  readonly kind: "guard" | "action";
  readonly name: string;
  /** The states that were active before; absent for the first step. */
  readonly leaves: Leaves | undefined;
  readonly eventType: string;
}

/**
 * The edges and states at which a step may have used the name, for people; more than one when the graph names it at
 * several that the same step passes.
 */
export function placesOf(index: GraphIndex, { kind, name, leaves, eventType }: UsedName): readonly string[] {
  const uses = (edge: GraphEdge): boolean =>
    kind === "action"
      ? edge.actions.includes(name)
      : edge.guard === name || edge.guardNames?.includes(name) === true;
  const taken = edgesOf(index, leaves ?? []).filter((edge) => edge.eventType === eventType);
  const edges = taken.filter(uses);
  const following = index.graph.edges.filter((edge) => edge.kind === "always" && uses(edge));
  if (kind === "guard") return (edges.length > 0 ? edges : following).map(describeEdge);
  const targets = leaves === undefined ? [index.graph.initial] : taken.flatMap((edge) => edge.targets);
  const isEntered = (path: string): boolean =>
    targets.some((target) => isWithin(path, target) || lineageOf(target).includes(path));
  const named = index.graph.nodes.filter(({ entry }) => entry.includes(name));
  const entered = named.filter(({ path }) => isEntered(path));
  const left = activeStates(index, leaves ?? []).filter(({ exit }) => exit.includes(name));
  const direct = [
    ...edges.map(describeEdge),
    ...left.map(({ path }) => `leaving ${path}`),
    ...entered.map(({ path }) => `entering ${path}`),
  ];
  if (direct.length > 0) return direct;
  return [...following.map(describeEdge), ...named.map(({ path }) => `entering ${path}`)];
}

function describeEdge({ source, targets, event }: GraphEdge): string {
  const from = source === "" ? "any state" : source;
  return targets.length === 0 ? `${from} by ${event}` : `${from} → ${targets.join(", ")} by ${event}`;
}
