// Tasks that a move ends before they have succeeded: their work counts as not done.
import { activeStates, type Leaves } from "../../statechart/configuration.ts";
import type { Step } from "../../statechart/statechart.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { activeInvokes, type Tasks } from "./tasks.ts";

/** A task whose state is left, or entered again, although it has not succeeded. */
export interface UndoneTask {
  /** Id of its invoke. */
  readonly id: string;
  /** Path of the state that asks for it. */
  readonly state: string;
  /** Its end leads on by an edge: a timer beside it is a deadline, rather than the end of the state. */
  readonly leadsOn: boolean;
}

/** The tasks of these states that a step ends undone, in document order. */
export function undoneBy(
  lifecycle: Lifecycle,
  tasks: Tasks,
  from: Leaves,
  step: Step,
): readonly UndoneTask[] {
  const { index } = lifecycle;
  const kept = new Set(
    activeInvokes(lifecycle, step.position.leaves)
      .map(({ id }) => id)
      .filter((id) => !step.invoked.includes(id)),
  );
  return activeStates(index, from).flatMap(({ path, invokes }) =>
    invokes
      .filter(({ id }) => tasks[id] !== undefined && tasks[id].phase !== "Succeeded" && !kept.has(id))
      .map(({ id }) => {
        const done = `xstate.done.actor.${id}`;
        const leadsOn = index.graph.edges.some((edge) => edge.eventType === done && edge.targets.length > 0);
        return { id, state: path, leadsOn };
      }),
  );
}

/** Whether a deadline of the graph was over before the work was done that it limits. */
export function isTooLate(taker: string, undone: readonly UndoneTask[]): boolean {
  return (taker === "timer" || taker === "graph") && undone.some(({ leadsOn }) => leadsOn);
}
