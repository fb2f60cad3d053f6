// What of a machine's drawing is lit: where it is, and by which edges the last event has led there. Pure.
import type { GraphEdge, MachineGraph } from "../../statechart/graph.ts";
import type { DiagramMarks } from "../../diagram/marks.ts";

/** One step of an actor, as far as it is known. */
export interface MarkedStep {
  /** XState's own state values. */
  readonly before?: unknown;
  readonly value: unknown;
  readonly eventType?: string;
}

/** The marks of a step. */
export function marksOfStep(graph: MachineGraph, { before, value, eventType }: MarkedStep): DiagramMarks {
  const active = leavesOf(value);
  const taken = eventType === undefined ? [] : takenEdges(graph, leavesOf(before), eventType, active);
  return { active, planned: [], edges: [], taken };
}

/** The paths of the innermost states of a value. */
export function leavesOf(value: unknown, around = ""): readonly string[] {
  const below = (name: string): string => (around === "" ? name : `${around}:${name}`);
  if (typeof value === "string") return value === "" ? [] : [below(value)];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const leaves = leavesOf(inner, below(name));
    return leaves.length === 0 ? [below(name)] : leaves;
  });
}

/** One edge for each state that was active, the innermost that the event could take and that leads where the machine is. */
function takenEdges(
  graph: MachineGraph,
  before: readonly string[],
  eventType: string,
  after: readonly string[],
): readonly number[] {
  const leads = ({ targets }: GraphEdge): boolean =>
    targets.length > 0 &&
    targets.every((target) => after.some((leaf) => leaf === target || leaf.startsWith(`${target}:`)));
  const candidates = [...graph.edges.entries()].filter(
    ([, edge]) => isCaught(edge, eventType) && leads(edge),
  );
  const found = before.flatMap((leaf) => {
    const sources = [...lineage(leaf), ""];
    for (const source of sources) {
      const edge = candidates.find((candidate) => candidate[1].source === source);
      if (edge !== undefined) return [edge[0]];
    }
    return [];
  });
  return [...new Set(found)];
}

function isCaught({ eventType }: GraphEdge, type: string): boolean {
  return eventType === type || (eventType.endsWith("*") && type.startsWith(eventType.slice(0, -1)));
}

function lineage(path: string): readonly string[] {
  const names = path.split(":");
  return names.map((_, count) => names.slice(0, names.length - count).join(":"));
}
