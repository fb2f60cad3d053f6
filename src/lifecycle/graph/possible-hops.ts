// The hops that a plan may be made of from a configuration, and what each is to a plan. Found once for a graph and remembered: the plans
// of one graph, of which checks and CRDs make one for each state, ask for the same configurations again and again. Read by planner.ts.
import { enter, follow, formatLeaves, type Leaves } from "../../statechart/configuration.ts";
import type { GraphEdge } from "../../statechart/graph.ts";
import { takerOf, type EdgeTaker } from "./edge-taker.ts";
import { isPassing, relianceOf, type PlannedGraph } from "./reliance.ts";
import type { Roles } from "./roles.ts";
import { edgesOnEntry, takeableEdges } from "./takeable-edges.ts";

/** One edge of a plan and where it leads. */
export interface Hop {
  readonly edge: GraphEdge;
  readonly to: Leaves;
}

/** A hop, and what it is to a plan. */
export interface PossibleHop extends Hop {
  /** `to` as a text. */
  readonly key: string;
  /** It cannot be relied on: a failure, a deadline, an unexpected observation. */
  readonly isUnexpected: boolean;
  /** What it costs, if it can be relied on; undefined for what no plan is made of. */
  readonly weight: number | undefined;
  /** How bound a path may be that goes on by it: 0 for a new life, 1 where a person is needed, 2 for any. */
  readonly limit: 0 | 1 | 2;
  /** Who takes it. */
  readonly taker: EdgeTaker;
}

/** What leads out of a configuration. */
export interface PossibleHops {
  /** Where the application has been for a while. */
  readonly all: readonly PossibleHop[];
  /** Where it was entered a moment ago. */
  readonly onEntry: readonly PossibleHop[];
}

/** Configurations of one graph that are remembered; parallel states multiply them. */
const mostRemembered = 5_000;

const remembered = new WeakMap<Roles, Map<string, PossibleHops>>();

/** The hops out of a configuration; `key` is it as a text. */
export function possibleHops(planned: PlannedGraph, leaves: Leaves, key: string): PossibleHops {
  const ofGraph = remembered.get(planned.roles) ?? new Map<string, PossibleHops>();
  remembered.set(planned.roles, ofGraph);
  const known = ofGraph.get(key);
  if (known !== undefined) return known;
  const found = findHops(planned, leaves);
  if (ofGraph.size < mostRemembered) ofGraph.set(key, found);
  return found;
}

function findHops(planned: PlannedGraph, leaves: Leaves): PossibleHops {
  const { index } = planned;
  const edges = [...takeableEdges(index, leaves), ...newLife(planned, leaves)];
  const entered = new Set(edgesOnEntry(edges));
  const all = edges.flatMap((edge) => hopOf(planned, leaves, edge) ?? []);
  return { all, onEntry: all.filter(({ edge }) => entered.has(edge)) };
}

function hopOf(planned: PlannedGraph, leaves: Leaves, edge: GraphEdge): PossibleHop | undefined {
  const taker = takerOf(edge);
  if (edge.targets.length === 0 || taker === "nobody") return undefined;
  const { index } = planned;
  const isBegin = edge.event === beginEvent;
  const to = isBegin ? enter(index, edge.targets) : follow(index, leaves, edge);
  const reliance = relianceOf(planned, edge);
  return {
    edge,
    to,
    key: formatLeaves(to),
    isUnexpected: reliance === "unexpected",
    weight: weightOf(planned, edge, taker),
    limit: isBegin ? 0 : reliance === "person" ? 1 : 2,
    taker,
  };
}

/** The event of the hop from an end into a new life. */
export const beginEvent = "begin";

/** After its end, an application that is desired elsewhere begins a new life; XState lets no edge lead out of a final state. */
export function newLife({ index }: Pick<PlannedGraph, "index">, leaves: Leaves): readonly GraphEdge[] {
  const [leaf] = leaves;
  const node = leaf === undefined ? undefined : index.nodes.get(leaf);
  if (leaves.length !== 1 || node?.type !== "final" || node.parent !== undefined) return [];
  const { initial } = index.graph;
  return [
    {
      source: node.path,
      targets: [initial],
      event: beginEvent,
      kind: "always",
      eventType: beginEvent,
      actions: [],
      reenter: false,
    },
  ];
}

function weightOf(planned: PlannedGraph, edge: GraphEdge, taker: EdgeTaker): number | undefined {
  // Out of a stable state, an observation is unexpected rather than progress.
  if (taker === "observation" && !isPassing(planned, edge.source)) return unlikelyWeight;
  return taker === "failure" || taker === "nobody" ? undefined : weights[taker];
}

const unlikelyWeight = 20;

const weights: Readonly<Record<Exclude<EdgeTaker, "failure" | "nobody">, number>> = {
  operator: 1,
  observation: 1,
  task: 1,
  graph: 1,
  timer: 2,
  spec: 500,
  human: 1_000,
};
