// Striving for a wish: the next hop of the plan, when it is one that the operator itself may take.
import { isActive, type Leaves } from "../statechart/configuration.ts";
import type { GraphEdge } from "../statechart/graph.ts";
import type { Step } from "../statechart/statechart.ts";
import type { Lifecycle } from "./compile-lifecycle.ts";
import { planPath, reachableStates, takerOf, type Hop } from "./planner.ts";
import type { WishRecord } from "./wish.ts";
import { isSettled } from "./wishes.ts";

/** The way to a wish. */
export interface Striving {
  /** The remaining hops; empty when there is nothing to strive for; undefined when no way leads there. */
  readonly plan: readonly Hop[] | undefined;
  /** The edge that may be taken now. */
  readonly hop?: Hop;
  /** Its step. */
  readonly step?: Step;
  /** The edge that its guard keeps closed. */
  readonly closed?: GraphEdge;
}

/** Whether the application has to move for this wish. */
export function isWanting(lifecycle: Lifecycle, wish: WishRecord, leaves: Leaves): boolean {
  if (isSettled(lifecycle, wish)) return false;
  // A transient state in which the application is for an earlier wish has to be entered anew.
  return lifecycle.transient.has(wish.state) ? wish.reached !== true : !isActive(leaves, wish.state);
}

/** The hops to a wish, planned from here. */
export function planWish(
  lifecycle: Lifecycle,
  wish: WishRecord,
  leaves: Leaves,
  without?: ReadonlySet<GraphEdge>,
): readonly Hop[] | undefined {
  if (!isWanting(lifecycle, wish, leaves)) return [];
  const isThere = (at: Leaves): boolean => isActive(at, wish.state);
  if (!isThere(leaves)) return planPath(lifecycle, leaves, isThere, without);
  // There for an earlier wish: the state is left and entered again.
  const out = planPath(lifecycle, leaves, (at) => !isThere(at), without);
  const back = planPath(lifecycle, out?.at(-1)?.to ?? leaves, isThere, without);
  return out === undefined || back === undefined ? undefined : [...out, ...back];
}

/** The plan and, if the operator may take its first edge, the step; an edge whose guard is closed is planned around. */
export function strive(
  lifecycle: Lifecycle,
  wish: WishRecord,
  leaves: Leaves,
  take: (event: string, hop: Hop) => Step | undefined,
): Striving {
  const closed = new Set<GraphEdge>();
  const first = planWish(lifecycle, wish, leaves);
  for (let plan = first; plan !== undefined; plan = planWish(lifecycle, wish, leaves, closed)) {
    const [hop] = plan;
    if (hop === undefined) return { plan };
    const [edge] = closed;
    const blocked = edge === undefined ? {} : { closed: edge };
    if (takerOf(hop.edge) !== "operator") return { plan, ...blocked };
    const step = take(hop.edge.event, hop);
    if (step !== undefined) return { plan, hop, step, ...blocked };
    closed.add(hop.edge);
  }
  const [edge] = closed;
  return { plan: first, ...(edge === undefined ? {} : { closed: edge }) };
}

/** Why no way leads to a state, and which edges would make one. */
export function explainMissingWay(lifecycle: Lifecycle, leaves: Leaves, state: string): string {
  const here = leaves.join(",");
  const reachable = reachableStates(lifecycle, leaves);
  const known = lifecycle.index.graph.edges.filter((edge) => edge.targets.includes(state));
  const from = [...new Set(known.map((edge) => edge.source))].filter((source) => source !== "");
  const entering =
    from.length === 0 ? `no edge enters ${state}` : `${state} is entered only from ${from.join(", ")}`;
  return (
    `no way leads from ${here} to ${state}: ${entering}, and from ${here} only ${reachable.join(", ")} can be reached; ` +
    `an edge "desired.${state}" on one of these is missing`
  );
}
