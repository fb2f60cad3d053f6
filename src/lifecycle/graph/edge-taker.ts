// Who takes an edge, derived from its name and kind. Read wherever edges are planned on, explained, checked or drawn.
import type { GraphEdge } from "../../statechart/graph.ts";

/** Who takes an edge: the operator by a target, the application as it is observed, a task, a timer, the graph itself, …. */
export type EdgeTaker =
  "operator" | "observation" | "task" | "timer" | "graph" | "spec" | "failure" | "human" | "nobody";

/** Who takes an edge. */
export function takerOf(edge: GraphEdge): EdgeTaker {
  switch (edge.kind) {
    case "after":
      return "timer";
    case "always":
      return "graph";
    case "done":
      return "task";
    case "error":
      return "failure";
    case "event":
      break;
  }
  if (edge.event === "config.changed") return "spec";
  if (isOf("desired", edge.event)) return "operator";
  if (isOf("observed", edge.event)) return "observation";
  return isOf("human", edge.event) ? "human" : "nobody";
}

/** Without a copy of the word: this is asked of every edge in every cycle. */
function isOf(family: string, event: string): boolean {
  return event.startsWith(family) && (event.length === family.length || event[family.length] === ".");
}
