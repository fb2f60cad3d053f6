// Which states may be desired, and which one is the target while nobody desires any. From the roles of states and the edges
// that authors have drawn for it; read by kinds (the enum in the CRD), by the cycle, and by `xstate-operator check`.
import { enter, isWithin, lineageOf, type GraphIndex, type Leaves } from "../../statechart/configuration.ts";
import type { GraphEdge, GraphNode } from "../../statechart/graph.ts";
import { hasTag } from "./edge-roles.ts";
import { takerOf } from "./edge-taker.ts";
import { planPath } from "./planner.ts";
import type { Hop } from "./possible-hops.ts";
import type { PlannedGraph } from "./reliance.ts";
import { isAtRest } from "./roles.ts";

/** Whether a state may be desired, and why (not). */
export interface Desirability {
  /** Path of the state. */
  readonly state: string;
  readonly mayBeDesired: boolean;
  /** For people. */
  readonly why: string;
}

/** What may be desired of a lifecycle. */
export interface DesiredStates {
  /** Every state but history states, in document order. */
  readonly all: ReadonlyMap<string, Desirability>;
  /** Paths of those that may be desired. */
  readonly desirable: readonly string[];
  /** The path that is the target while nobody desires a state. */
  readonly defaultTarget: string;
  /** For people. */
  readonly whyDefault: string;
}

/** Finds out what may be desired. The default target always may. */
export function desiredStatesOf(planned: PlannedGraph, chosen?: string): DesiredStates {
  const { index } = planned;
  const found =
    chosen === undefined ? defaultTargetOf(planned) : { state: chosen, why: "chosen by the option" };
  const nodes = index.graph.nodes.filter((node) => node.type !== "history");
  const { drawn, into } = edgesTo(index);
  const all = nodes.map((node): Desirability => {
    const { mayBeDesired, why } = judge(planned, node, {
      drawn: drawn.get(node.path),
      into: into.get(node.path) ?? [],
    });
    return !mayBeDesired && node.path === found.state && chosen === undefined
      ? { state: node.path, mayBeDesired: true, why: "it is the default target" }
      : { state: node.path, mayBeDesired, why };
  });
  return {
    all: new Map(all.map((each) => [each.state, each] as const)),
    desirable: all.flatMap(({ state, mayBeDesired }) => (mayBeDesired ? [state] : [])),
    defaultTarget: found.state,
    whyDefault: found.why,
  };
}

/** The first edge that is drawn for each state, and all that enter it from outside. */
function edgesTo({ graph }: GraphIndex): {
  readonly drawn: ReadonlyMap<string, GraphEdge>;
  readonly into: ReadonlyMap<string, readonly GraphEdge[]>;
} {
  const drawn = new Map<string, GraphEdge>();
  const into = new Map<string, GraphEdge[]>();
  for (const edge of graph.edges) {
    if (edge.targets.length === 0) continue;
    const desired = edge.event.slice("desired.".length);
    if (takerOf(edge) === "operator" && !drawn.has(desired)) drawn.set(desired, edge);
    for (const path of new Set(edge.targets.flatMap(lineageOf))) {
      if (isWithin(edge.source, path)) continue;
      const others = into.get(path) ?? [];
      others.push(edge);
      into.set(path, others);
    }
  }
  return { drawn, into };
}

function judge(
  { index, roles }: PlannedGraph,
  node: GraphNode,
  { drawn, into }: { readonly drawn: GraphEdge | undefined; readonly into: readonly GraphEdge[] },
): Omit<Desirability, "state"> {
  const { path, parent, type } = node;
  const no = (why: string): Omit<Desirability, "state"> => ({ mayBeDesired: false, why });
  const yes = (why: string): Omit<Desirability, "state"> => ({ mayBeDesired: true, why });
  if (hasTag(index, path, "notDesired")) return no('tag "notDesired"');
  if (roles.intervention.has(path)) return no("only a person leads out of it");
  if (roles.failure.has(path)) return no("it is a failure");
  if (type === "final")
    return parent === undefined ? yes("it is an end") : no("it is the end of another state");
  if (drawn !== undefined) return yes(`${drawn.event} leads to it`);
  const { role, why } = roles.states.get(path) ?? { role: "stable", why: "" };
  if (role === "initial") return no("it is the initial state");
  if (into.length > 0 && into.every((edge) => roles.failures.has(edge)))
    return no("only failures lead to it");
  if (!roles.transient.has(path)) return yes(role === "suspended" ? "it is suspended" : "it is stable");
  const aimed = into.find((edge) => edge.event.startsWith("desired."));
  return aimed === undefined ? no(`it is transient: ${why}`) : yes(`${aimed.event} leads to it`);
}

/**
 * The first stable state on the shortest path from the initial one. Where there is none: the first state to which the
 * application comes back by itself, the initial one if nothing leads on from it, the end, the initial one.
 */
function defaultTargetOf(planned: PlannedGraph): { readonly state: string; readonly why: string } {
  const { index, roles } = planned;
  const { initial } = index.graph;
  const start = enter(index, [initial]);
  const isWaiting = isAtRest(planned, start);
  // What is inside the initial state counts where something leads on in there.
  const counts = (path: string): boolean =>
    !isRefused(planned, path) && !(isWaiting && isWithin(path, initial) && path !== initial);
  // What may happen in a state on the path is not a path of its own.
  const without = new Set(
    index.graph.edges.filter(
      (edge) =>
        takerOf(edge) === "observation" &&
        !roles.leadsOn(edge) &&
        roles.states.get(edge.source)?.role !== "initial",
    ),
  );
  const search = (is: (path: string) => boolean): string | undefined => {
    const candidateIn = (leaves: Leaves): string | undefined =>
      leaves
        .map((leaf) => lineageOf(leaf).findLast((path) => is(path) && counts(path)))
        .find((path) => path !== undefined);
    const hops = planPath(planned, start, (leaves) => candidateIn(leaves) !== undefined, { without });
    return hops === undefined ? undefined : candidateIn(hops.at(-1)?.to ?? start);
  };
  const stable = search((path) => roles.states.get(path)?.role === "stable");
  if (stable !== undefined)
    return { state: stable, why: `the first stable state on the path from ${initial}` };
  const returning = search((path) => returnsTo(planned, path));
  if (returning !== undefined) {
    return {
      state: returning,
      why: "no state is stable; this is the first to which the application returns",
    };
  }
  if (isWaiting || roles.end === undefined) return { state: initial, why: "no other state is stable" };
  return { state: roles.end, why: "no state is stable" };
}

function isRefused({ index, roles }: PlannedGraph, path: string): boolean {
  return (
    ["notDesired", "degraded"].some((tag) => hasTag(index, path, tag)) ||
    roles.intervention.has(path) ||
    roles.failure.has(path) ||
    index.nodes.get(path)?.type === "final"
  );
}

/** Whether the application comes back to a state by itself, so that it is not left for good. */
function returnsTo({ index, roles }: PlannedGraph, path: string): boolean {
  if (roles.states.get(path)?.role !== "transient") return false;
  const seen = new Set<string>([path]);
  for (const each of seen) {
    for (const edge of index.graph.edges) {
      if (!isWithin(edge.source, each) || !roles.leadsOn(edge)) continue;
      for (const next of enter(index, edge.targets).flatMap(lineageOf)) {
        if (next === path && !isWithin(edge.source, path)) return true;
        if (!isWithin(path, next)) seen.add(next);
      }
    }
  }
  return false;
}

/** The hops to the default target from where a life begins; undefined when no path leads there. */
export function pathToDefault(planned: PlannedGraph, target: string): readonly Hop[] | undefined {
  const { index } = planned;
  return planPath(
    planned,
    enter(index, [index.graph.initial]),
    (leaves) => leaves.some((leaf) => isWithin(leaf, target)),
    { target },
  );
}
