// Whether cycles that follow each other at once lead back to where they have been: then they would do so without end.
import type { Problem } from "../ports/problem.ts";
import type { Moved } from "./cycle-plan.ts";
import type { Observation } from "./observation.ts";
import type { LifecycleStatus } from "./stored/snapshot.ts";

/** Code of the problem. */
export const circlingCode = "LIFECYCLE_CIRCLING";

/** Milliseconds until a move that would close the circle is tried again. */
export const circlingDelay = 60_000;

/** What the next cycle is decided on, as far as cycles can come back to it, in one text. */
export function situationOf(
  { snapshot: { value, context, history }, target }: Pick<LifecycleStatus, "snapshot" | "target">,
  observation: Observation | undefined,
): string {
  return JSON.stringify([value, context, history, target, observation]);
}

/** What is wrong with a move that leads back to where the same run has been. */
export function circlingProblem({ from = "", to, event }: Moved): Problem {
  return {
    code: circlingCode,
    severity: "error",
    state: from,
    event,
    message: `the move ${from} → ${to} by ${event} is not made: the lifecycle would move in a circle, as nothing has changed since it was in ${to} a moment ago`,
    remedy:
      "Give one of the edges a guard, or let the state wait: for another observation, a task or an `after`.",
  };
}
