// Checks for circles that the graph goes round by itself, at once and for no event: XState gives up on them after some rounds, and the
// application never comes to rest.
import { enter, follow, formatLeaves, type Leaves } from "../../statechart/configuration.ts";
import type { GraphEdge } from "../../statechart/graph.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { edgesTakenAtOnce } from "../graph/takeable-edges.ts";
import type { Problem } from "../../ports/problem.ts";

/** The problems of edges that are taken at once, each circle once. */
export function checkCircles(lifecycle: Lifecycle): readonly Problem[] {
  const { index } = lifecycle;
  const left = new Set<string>();
  const found: Problem[] = [];
  const sources = new Set(
    index.graph.edges.filter(({ kind }) => kind === "always").map(({ source }) => source),
  );
  for (const source of sources) {
    const way: { readonly key: string; readonly edge: GraphEdge }[] = [];
    const passed = new Map<string, number>();
    let leaves: Leaves = enter(index, source === "" ? [index.graph.initial] : [source]);
    for (;;) {
      const key = formatLeaves(leaves);
      const start = passed.get(key);
      if (start !== undefined) {
        found.push(problemOf(way.slice(start).map(({ edge }) => edge)));
        break;
      }
      if (left.has(key)) break;
      // Only the first counts, as XState takes it; a guard that may be closed ends what is certain.
      const [edge] = edgesTakenAtOnce(index, leaves);
      if (edge === undefined || edge.guard !== undefined) break;
      passed.set(key, way.length);
      way.push({ key, edge });
      leaves = follow(index, leaves, edge);
    }
    for (const { key } of way) left.add(key);
  }
  return found;
}

function problemOf(circle: readonly GraphEdge[]): Problem {
  const [first] = circle;
  const { source = "", event = "always" } = first ?? {};
  const states = [...circle.map((edge) => edge.source || "the machine"), source || "the machine"];
  return {
    code: "ALWAYS_CIRCLE",
    severity: "error",
    ...(source === "" ? {} : { state: source }),
    event,
    message: `${states.join(" → ")}: each leads on at once and for no event, so that the application never comes to rest`,
    remedy:
      "Give one of the edges a guard that is closed when it is done, or wait there for an event, a task or a time.",
  };
}
