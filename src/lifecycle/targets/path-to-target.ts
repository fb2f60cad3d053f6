// PathToTarget for a target: the next hop of the plan, when it is one that the operator itself may take.
import {
  edgesOf,
  formatLeaves,
  isActive,
  keptByLeaves,
  type Leaves,
} from "../../statechart/configuration.ts";
import type { GraphEdge } from "../../statechart/graph.ts";
import type { Step } from "../../statechart/statechart.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { takerOf, type EdgeTaker } from "../graph/edge-taker.ts";
import { planPath, reachableStates, type PlanOptions } from "../graph/planner.ts";
import { beginEvent, type Hop } from "../graph/possible-hops.ts";
import { relianceOf } from "../graph/reliance.ts";
import { guardClause, isClosedAtRest } from "../graph/takeable-edges.ts";
import type { TargetRecord } from "./target-record.ts";
import { isSettled } from "./target-rules.ts";

/** The way to a target. */
export interface PathToTarget {
  /** The remaining hops; empty when there is nothing to do; undefined when no path leads there. */
  readonly plan: readonly Hop[] | undefined;
  /** The edge that may be taken now. */
  readonly hop?: Hop;
  /** Its step. */
  readonly step?: Step;
  /** The edge that its guard keeps closed; the plan leads around it. */
  readonly closed?: GraphEdge;
  /** The edge that cannot be taken, because a function of the author's throws. */
  readonly failed?: GraphEdge;
  /** The edge from which the graph leads back at once, so that nothing would come of it. */
  readonly returning?: GraphEdge;
}

/** What came of trying an edge: a step, or why there is none. */
export type Attempt = Step | "closed" | "failed" | "returning";

/** Whether the application has to move for this target. */
export function isWanting(lifecycle: Lifecycle, target: TargetRecord, leaves: Leaves): boolean {
  if (isSettled(lifecycle, target)) return false;
  // A transient state in which the application is for an earlier target has to be entered again.
  return lifecycle.roles.transient.has(target.state)
    ? target.entered !== true
    : !isActive(leaves, target.state);
}

/** The hops to a target, planned from where the application rests; what the graph does by itself has been done there. */
export function planToTarget(
  lifecycle: Lifecycle,
  target: TargetRecord,
  leaves: Leaves,
  { without, atRest = true }: Pick<PlanOptions, "without" | "atRest"> = {},
): readonly Hop[] | undefined {
  if (!isWanting(lifecycle, target, leaves)) return [];
  const { state } = target;
  if (without !== undefined && without.size > 0)
    return planToState(lifecycle, leaves, { state, atRest, without });
  const plans = plansFrom(lifecycle, leaves);
  const name = `${state} ${atRest}`;
  if (!plans.has(name)) plans.set(name, planToState(lifecycle, leaves, { state, atRest }));
  return plans.get(name);
}

/** The plans for each state that may be desired, where no edge is left out. */
const plansFrom = keptByLeaves(
  (_lifecycle: Lifecycle, _leaves) => new Map<string, readonly Hop[] | undefined>(),
);

function planToState(
  lifecycle: Lifecycle,
  leaves: Leaves,
  { state, ...how }: Pick<PlanOptions, "without" | "atRest"> & { readonly state: string },
): readonly Hop[] | undefined {
  const isThere = (at: Leaves): boolean => isActive(at, state);
  const options = { target: state, ...how };
  if (!isThere(leaves)) return planPath(lifecycle, leaves, isThere, options);
  // There for an earlier target: the state is left and entered again.
  const out = planPath(lifecycle, leaves, (at) => !isThere(at), options);
  const back = planPath(lifecycle, out?.at(-1)?.to ?? leaves, isThere, options);
  return out === undefined || back === undefined ? undefined : [...out, ...back];
}

/** The plan and, if the operator may take its first edge, the step; an edge that cannot be taken is planned around. */
export function pathToTarget(
  lifecycle: Lifecycle,
  target: TargetRecord,
  leaves: Leaves,
  take: (event: string, hop: Hop) => Attempt,
): PathToTarget {
  const blocked = new Set<GraphEdge>();
  // The first of each kind is reported.
  let why = closedAtRest(lifecycle, target, leaves);
  for (;;) {
    const plan = planToTarget(lifecycle, target, leaves, { without: blocked });
    const [hop] = plan ?? [];
    if (hop === undefined || takerOf(hop.edge) !== "operator") return { plan, ...why };
    const step = take(hop.edge.event, hop);
    if (typeof step !== "string") return { plan, hop, step, ...why };
    blocked.add(hop.edge);
    why = { [step]: hop.edge, ...why };
  }
}

/** The edge by which the graph would lead on by itself to the target, if its guard did not keep it closed. */
export function closedAtRest(
  lifecycle: Lifecycle,
  target: TargetRecord,
  leaves: Leaves,
): Pick<PathToTarget, "closed"> {
  const isGuarded = edgesOf(lifecycle.index, leaves).some(
    (edge) => edge.guard !== undefined && isClosedAtRest(edge, [leaves]),
  );
  if (!isGuarded) return {};
  const hops = planToTarget(lifecycle, target, leaves, { atRest: false }) ?? [];
  const way = [leaves, ...hops.map(({ to }) => to)];
  const closed = hops.find(
    ({ edge }, at) => edge.guard !== undefined && isClosedAtRest(edge, way.slice(0, at + 1)),
  );
  return closed === undefined ? {} : { closed: closed.edge };
}

/** The path that there is when nothing has to be relied on: in the present life, if it only has to be waited for. */
function planWithDoubt(lifecycle: Lifecycle, leaves: Leaves, state: string): readonly Hop[] | undefined {
  const plan = (inOneLife: boolean): readonly Hop[] | undefined =>
    planPath(lifecycle, leaves, (at) => isActive(at, state), {
      target: state,
      atRest: true,
      withUnexpected: true,
      inOneLife,
    });
  const alive = plan(true) ?? [];
  const edge = doubtfulEdge(lifecycle, alive);
  return edge !== undefined && isWaitedFor(lifecycle, alive, edge) ? alive : plan(false);
}

/** Whether an application for which there is no plan only waits for what is observed on its path to a state. */
export function isWaiting(lifecycle: Lifecycle, leaves: Leaves, state: string): boolean {
  const hops = planWithDoubt(lifecycle, leaves, state) ?? [];
  const edge = doubtfulEdge(lifecycle, hops);
  return edge !== undefined && isWaitedFor(lifecycle, hops, edge);
}

/** The first edge of a path that the operator cannot rely on, or act on. */
function doubtfulEdge(lifecycle: Lifecycle, hops: readonly Hop[]): GraphEdge | undefined {
  const acts = hops.findIndex(({ edge }) => takerOf(edge) === "operator");
  return hops.find((hop, at) => {
    const reliance = relianceOf(lifecycle, hop.edge);
    return (
      reliance === "unexpected" || (acts >= 0 && at > acts && (reliance === "person" || beginsAnew(hop.edge)))
    );
  })?.edge;
}

/** Why a path that leads there is not taken: the operator cannot act on one of its edges. */
function explainDoubt(lifecycle: Lifecycle, leaves: Leaves, state: string, hops: readonly Hop[]): string {
  const here = leaves.join(",");
  const edge = doubtfulEdge(lifecycle, hops);
  const [first] = hops;
  if (edge !== undefined && first !== undefined && isWaitedFor(lifecycle, hops, edge)) {
    const { event } = first.edge;
    const clause = guardClause(lifecycle.index, leaves, first.edge);
    const next = `${state} is desired; ${event} leads on to ${formatLeaves(first.to)}${causes[takerOf(first.edge)] ?? ""}${clause}`;
    return edge === first.edge
      ? next
      : `${next}, and from ${edge.source || here} only ${edge.event} leads on to ${edge.targets.join(", ")}, when it is observed`;
  }
  if (edge === undefined || beginsAnew(edge)) {
    return `no path leads from ${here} to ${state} except through a new life after the end, and the application is not ended for that`;
  }
  return (
    `no path that can be relied on leads from ${here} to ${state}: ${edge.source || here} → ${edge.targets.join(", ")} ` +
    `by ${edge.event} is ${doubtOf(lifecycle, edge)}, and the operator does not rely on it; ` +
    `add an edge "desired.${state}"`
  );
}

function beginsAnew(edge: GraphEdge): boolean {
  return edge.event === beginEvent;
}

/**
 * Whether an application only waits: what leads on from here happens without the operator, and so does all up to an edge of
 * which nobody knows when it is observed. Nothing is wrong with it then.
 */
function isWaitedFor(lifecycle: Lifecycle, hops: readonly Hop[], doubtful: GraphEdge): boolean {
  const before = hops.slice(0, hops.findIndex(({ edge }) => edge === doubtful) + 1);
  return (
    takerOf(doubtful) === "observation" &&
    !lifecycle.roles.failures.has(doubtful) &&
    before.every(({ edge }) => takerOf(edge) in causes)
  );
}

const causes: Readonly<Partial<Record<EdgeTaker, string>>> = {
  observation: " when it is observed",
  task: " when the task is done",
  timer: " when it elapses",
};

function doubtOf({ roles }: Lifecycle, edge: GraphEdge): string {
  const taker = takerOf(edge);
  if (taker !== "observation") return doubts[taker] ?? "taken by nobody";
  return roles.failures.has(edge) ? "a failure" : "taken only once that is observed";
}

const doubts: Readonly<Partial<Record<EdgeTaker, string>>> = {
  failure: "a failure",
  timer: "a deadline",
  human: "a manual decision",
  spec: "a change of the spec",
};

/** Why no path leads to a state, and which edges would make one. */
export function explainMissingPath(lifecycle: Lifecycle, leaves: Leaves, state: string): string {
  const here = leaves.join(",");
  const reachable = reachableStates(lifecycle, leaves);
  const known = lifecycle.index.graph.edges.filter((edge) => edge.targets.includes(state));
  const from = [...new Set(known.map((edge) => edge.source))].filter((source) => source !== "");
  const doubtful = planWithDoubt(lifecycle, leaves, state);
  if (doubtful !== undefined) return explainDoubt(lifecycle, leaves, state, doubtful);
  const entering =
    from.length === 0 ? `no edge enters ${state}` : `${state} is entered only from ${from.join(", ")}`;
  return (
    `no path leads from ${here} to ${state}: ${entering}, and from ${here} only ${reachable.join(", ")} can be reached; ` +
    `an edge "desired.${state}" on one of these is missing`
  );
}
