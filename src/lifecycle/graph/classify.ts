// What kind of state a state is: maintained until an event leads out of it (stable), or left by itself (transient).
import { humanIntervention } from "../../../machines/lifecycle-machine.ts";
import { enter, isWithin, lineageOf, type GraphIndex, type Leaves } from "../../statechart/configuration.ts";
import type { GraphEdge, GraphNode } from "../../statechart/graph.ts";
import { beginsLife } from "./edge-taker.ts";
import { planPath } from "./planner.ts";

/** The paths of the states that are left by a task's end, a timer or `always`. A tag `stable` or `transient` overrules. */
export function transientStates(index: GraphIndex): ReadonlySet<string> {
  const automatic = index.graph.edges.filter((edge) => edge.kind !== "event");
  const transient = index.graph.nodes.filter((node) => {
    if (node.tags.includes("stable")) return false;
    return node.tags.includes("transient") || automatic.some((edge) => leadsOut(edge, node.path));
  });
  return new Set(transient.map((node) => node.path));
}

/** Whether every active state holds. */
export function isAtRest(transient: ReadonlySet<string>, leaves: Leaves): boolean {
  return leaves.every((leaf) => !transient.has(leaf));
}

/** The states that may be desired: the stable and final ones, and those that a `desired` edge enters. */
export function desirableStates(index: GraphIndex, transient: ReadonlySet<string>): readonly string[] {
  const aimed = new Set(
    index.graph.edges
      .filter((edge) => edge.event.startsWith("desired."))
      .flatMap((edge) => edge.targets)
      .flatMap(lineageOf),
  );
  const desirable = (node: GraphNode): boolean =>
    node.type !== "history" &&
    node.path !== humanIntervention &&
    !(node.type === "final" && node.parent !== undefined) &&
    (!transient.has(node.path) || aimed.has(node.path));
  return index.graph.nodes.filter(desirable).map((node) => node.path);
}

/** The final state that a deletion leads to: `End`, else the first one; undefined when nothing ends. */
export function finalState(index: GraphIndex): string | undefined {
  const finals = index.graph.nodes.filter((node) => node.type === "final" && node.parent === undefined);
  return (finals.find((node) => node.name === "End") ?? finals[0])?.path;
}

/**
 * The default desired state: the first stable one on the way from the initial state. The initial state
 * itself counts unless it is called Start, which is where a life begins; `HumanIntervention` and the end come last.
 */
export function defaultDesiredState(index: GraphIndex, transient: ReadonlySet<string>): string {
  const { initial } = index.graph;
  const canStay = !transient.has(initial);
  if (canStay && !beginsLife(index, initial)) return initial;
  const rests = (leaves: Leaves): boolean =>
    isAtRest(transient, leaves) &&
    leaves.every((leaf) => !isWithin(leaf, initial) && leaf !== humanIntervention) &&
    leaves.every((leaf) => index.nodes.get(leaf)?.type !== "final");
  const hops = planPath({ index, transient }, enter(index, [initial]), rests);
  const [leaf] = hops?.at(-1)?.to ?? [];
  const outermost = leaf === undefined ? undefined : lineageOf(leaf).findLast((path) => !transient.has(path));
  return outermost ?? (canStay ? initial : (finalState(index) ?? initial));
}

function leadsOut(edge: GraphEdge, path: string): boolean {
  const concerns = isWithin(edge.source, path) || isWithin(path, edge.source);
  return concerns && edge.targets.some((target) => !isWithin(target, path));
}
