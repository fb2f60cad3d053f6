// A position that nothing persisted: the application is there, as it is observed or as a stored name says. No edge leads there and
// none is taken; XState's own restore does not run entry actions either.
import { activeStates, type Leaves } from "../../statechart/configuration.ts";
import type { Position, Step } from "../../statechart/statechart.ts";
import type { Lifecycle } from "./compile-lifecycle.ts";

/** In place of the event of a move: the application is taken to be in the state in which it was found. */
export const restoreEvent = "restore";

/**
 * The step that finds the application in these states. Its timers begin now. Its tasks are not asked for: whether they run is
 * unknown, so they are looked for and never started.
 */
export function restoreAt({ index, initialContext }: Lifecycle, leaves: Leaves, from?: Position): Step {
  const timers = activeStates(index, leaves)
    .flatMap((node) => index.edges.get(node.path) ?? [])
    .filter((edge) => edge.kind === "after")
    .map((edge) => edge.eventType);
  return {
    position: {
      leaves,
      context: from?.context ?? initialContext,
      ...(from?.history === undefined ? {} : { history: from.history }),
    },
    invoked: [],
    armed: [...new Set(timers)],
    actions: [],
  };
}
