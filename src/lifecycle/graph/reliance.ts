// Which edges a plan may be made of: those that can be counted on. Acting on anything else would be to stop an application
// in the expectation of a failure. Read by planner.ts; explained to authors in docs/guides/lifecycle.md.
import { humanIntervention } from "../../../machines/lifecycle-machine.ts";
import { isWithin, type GraphIndex } from "../../statechart/configuration.ts";
import type { GraphEdge } from "../../statechart/graph.ts";
import { beginsLife, takerOf } from "./edge-taker.ts";

/** What is asked about a graph besides its edges. */
export interface PlannedGraph {
  readonly index: GraphIndex;
  /** Paths of the states that are left by themselves. */
  readonly transient: ReadonlySet<string>;
}

/**
 * How far an edge can be counted on.
 *
 * - `sure`: the operator takes it, the graph does, a task's success, a look at what the application does anyway, or time
 *   where nothing else leads on.
 * - `person`: somebody may be asked for it: a human event, a change of the spec.
 * - `unexpected`: a failure, a deadline, an observation that should not be made. Nothing to act on.
 */
export type Reliance = "sure" | "person" | "unexpected";

/** How far an edge can be counted on. */
export function relianceOf(planned: PlannedGraph, edge: GraphEdge): Reliance {
  switch (takerOf(edge)) {
    case "operator":
    case "task":
    case "graph":
      return "sure";
    case "human":
    case "spec":
      return "person";
    case "failure":
    case "nobody":
      return "unexpected";
    case "observation":
      return isProgress(planned, edge) ? "sure" : "unexpected";
    case "timer":
      return isDeadline(planned, edge) ? "unexpected" : "sure";
  }
  return "unexpected";
}

/** Whether a look leads on rather than back: it is named for the state it enters, or nobody wants to stay where it leaves. */
function isProgress({ index, transient }: PlannedGraph, edge: GraphEdge): boolean {
  const seen = edge.event.slice("observed.".length);
  if (edge.targets.some((target) => target === seen || isWithin(target, seen))) return true;
  if (edge.targets.some((target) => beginsLife(index, target) || target === humanIntervention)) return false;
  if (transient.has(edge.source) || beginsLife(index, edge.source)) return true;
  // Where no target leads out, the application is only passing through.
  return !index.graph.edges.some(
    (other) => takerOf(other) === "operator" && isWithin(edge.source, other.source),
  );
}

/** Whether something else leads on from the timer's state, or from within: then the timer is its deadline. */
function isDeadline(planned: PlannedGraph, timer: GraphEdge): boolean {
  return planned.index.graph.edges.some((edge) => {
    if (edge.targets.length === 0 || !isWithin(edge.source, timer.source)) return false;
    const taker = takerOf(edge);
    return taker === "task" || taker === "graph" || (taker === "observation" && isProgress(planned, edge));
  });
}
