// Which edges a plan may be made of: those that can be relied on. Nothing is moved or stopped because something else may
// fail. Read by planner.ts; explained to authors in docs/guides/lifecycle.md.
import { isWithin, lineageOf, type GraphIndex } from "../../statechart/configuration.ts";
import type { GraphEdge } from "../../statechart/graph.ts";
import { takerOf } from "./edge-taker.ts";
import type { Roles } from "./roles.ts";

/** What is asked about a graph besides its edges. */
export interface PlannedGraph {
  readonly index: GraphIndex;
  readonly roles: Roles;
}

/**
 * How far an edge can be relied on.
 *
 * - `sure`: the operator takes it, the graph does, a task's success, an observation of what the application does anyway, or
 *   time where nothing else leads on.
 * - `person`: somebody may be asked for it: a human event, a change of the spec.
 * - `unexpected`: a failure, a deadline, an observation that should not be made. Nothing to act on.
 */
export type Reliance = "sure" | "person" | "unexpected";

const known = new WeakMap<Roles, WeakMap<GraphEdge, Reliance>>();

/** How far an edge can be relied on. */
export function relianceOf(planned: PlannedGraph, edge: GraphEdge): Reliance {
  const ofGraph = known.get(planned.roles) ?? new WeakMap<GraphEdge, Reliance>();
  known.set(planned.roles, ofGraph);
  const found = ofGraph.get(edge) ?? judge(planned, edge);
  ofGraph.set(edge, found);
  return found;
}

function judge(planned: PlannedGraph, edge: GraphEdge): Reliance {
  if (planned.roles.failures.has(edge)) return "unexpected";
  switch (takerOf(edge)) {
    case "operator":
    case "task":
    case "graph":
    case "timer":
      return "sure";
    case "human":
    case "spec":
      return "person";
    case "observation":
      return isProgress(planned, edge) ? "sure" : "unexpected";
    case "failure":
    case "nobody":
      return "unexpected";
  }
  return "unexpected";
}

/** Whether the application only passes through a state: something leads on from it, or a life begins there. */
export function isPassing({ roles }: PlannedGraph, path: string): boolean {
  return roles.transient.has(path) || roles.states.get(path)?.role === "initial";
}

/** Whether an observation leads on rather than back, or the application is not meant to stay where it leaves. */
function isProgress(planned: PlannedGraph, edge: GraphEdge): boolean {
  const { index, roles } = planned;
  const seen = edge.event.slice("observed.".length);
  if (edge.targets.some((target) => target === seen || isWithin(target, seen))) return true;
  if (edge.targets.some((target) => roles.states.get(target)?.role === "initial")) return false;
  if (roles.leadsOn(edge) || isPassing(planned, edge.source)) return true;
  // Where no desired state leads out, the application is only passing through.
  return ![...lineageOf(edge.source), ""].some((source) =>
    index.edges.get(source)?.some((other) => takerOf(other) === "operator"),
  );
}
