// A machine's graph as a tree, and the texts both drawings share. Pure.
import type { GraphEdge, GraphNode, MachineGraph } from "../statechart/graph.ts";

/** The states directly below a path; the empty path is the machine itself. */
export function childrenOf(graph: MachineGraph, path: string): readonly GraphNode[] {
  return graph.nodes.filter((node) => (node.parent ?? "") === path);
}

/** Whether a path is below another one; nothing is below itself. */
export function isBelow(path: string, ancestor: string): boolean {
  return path !== ancestor && (ancestor === "" || path.startsWith(`${ancestor}:`));
}

/** What stands at an edge: event, guard and actions, as in UML: `event [guard] / action`. */
export function edgeLabel(edge: GraphEdge): string {
  const event = edge.kind === "after" ? `after ${edge.delay ?? ""}`.trim() : edge.event;
  const guard = edge.guard === undefined ? "" : ` [${edge.guard}]`;
  const actions = edge.actions.length === 0 ? "" : ` / ${edge.actions.join(", ")}`;
  return `${event}${guard}${actions}`;
}

/** The lines inside a state: its long actions, and what happens on entry and exit. */
export function stateLines(node: GraphNode): readonly string[] {
  return [
    ...node.entry.map((action) => `entry / ${action}`),
    ...node.invokes.map(({ id, src }) =>
      id === src || id.includes(src) ? `do / ${src}` : `do / ${src} (${id})`,
    ),
    ...node.exit.map((action) => `exit / ${action}`),
  ];
}

/** The name of a state as it is drawn. */
export function stateName(node: GraphNode): string {
  if (node.type !== "history") return node.name;
  return node.history === "deep" ? "H*" : "H";
}
