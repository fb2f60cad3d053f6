// Moves that no edge draws: out of a state that cannot be trusted, to HumanIntervention, out of a dead end on deletion,
// and a state begun again. The entered states' tasks and timers are found in the graph, as the machine would.
import { activeStates, enter, type Leaves } from "../../statechart/configuration.ts";
import type { Position, Step } from "../../statechart/statechart.ts";
import type { Lifecycle } from "./compile-lifecycle.ts";

/** The step that enters these leaves directly; states active before are entered again only when `reenter` is set. */
export function jumpTo(
  lifecycle: Lifecycle,
  from: Position | undefined,
  leaves: Leaves,
  options: { readonly reenter?: boolean } = {},
): Step {
  const before = new Set(
    options.reenter === true || from === undefined
      ? []
      : activeStates(lifecycle.index, from.leaves).map((node) => node.path),
  );
  const entered = activeStates(lifecycle.index, leaves).filter((node) => !before.has(node.path));
  const timers = entered
    .flatMap((node) => lifecycle.index.edges.get(node.path) ?? [])
    .filter((edge) => edge.kind === "after")
    .map((edge) => edge.eventType);
  return {
    position: {
      leaves,
      context: from?.context ?? lifecycle.initialContext,
      ...(from?.history === undefined ? {} : { history: from.history }),
    },
    invoked: entered.flatMap((node) => node.invokes.map((invoke) => invoke.id)),
    armed: [...new Set(timers)],
    actions: entered
      .flatMap((node) => node.entry)
      .filter((name) => lifecycle.chart.isEffect(name))
      .map((name) => ({ name })),
  };
}

/** Where what cannot be settled goes: `HumanIntervention`, or the initial state of a machine that cannot have one. */
export function interventionLeaves(lifecycle: Lifecycle): Leaves {
  return enter(lifecycle.index, [lifecycle.intervention ?? lifecycle.initial]);
}

/** Where a deletion leads out of a dead end: to the state that a target for the end enters elsewhere, else to the end. */
export function deletionExit(lifecycle: Lifecycle): Leaves | undefined {
  if (lifecycle.final === undefined) return undefined;
  const drawn = lifecycle.index.graph.edges.find(
    (edge) => edge.event === `desired.${lifecycle.final}` && edge.targets.length > 0,
  );
  return enter(lifecycle.index, drawn?.targets ?? [lifecycle.final]);
}
