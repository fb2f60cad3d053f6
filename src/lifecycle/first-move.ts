// The first step where no usable position is stored: a new life, or the recovery from something unusable.
import { enter, type Leaves } from "../statechart/configuration.ts";
import { beginLife, intervene, takeLibraryEdge, type Move } from "./choose-move.ts";
import type { CycleInput } from "./cycle-plan.ts";
import { leavesSeen, wordsOf } from "./observation.ts";
import { stateOfFound } from "./tasks/found-tasks.ts";
import { actorEvents, exitTargets, libraryEvents } from "./graph/library-edges.ts";
import { restoreAt, restoreEvent } from "./graph/restore-at.ts";
import type { Problem } from "../ports/problem.ts";
import type { RestoredLifecycle } from "./stored/restore.ts";

/** The first step of a life, or the recovery from something unusable; `unsure` while it cannot be observed. */
export function firstMove(
  input: CycleInput,
  restored: RestoredLifecycle,
  problems: Problem[],
): Move | "unsure" | undefined {
  const { lifecycle, observation } = input;
  if (restored.position !== undefined) return undefined;
  const why = problems.map((problem) => problem.message).join("; ");
  if (restored.origin === "new") return beginAnew(input, problems, "the resource is new");
  const running = restored.origin === "lost" ? stateOfFound(lifecycle, restored.tasks) : undefined;
  if (running !== undefined) {
    return restore(input, enter(lifecycle.index, [running]), `${why}; it is not known to have ended`);
  }
  if (input.observationError !== undefined) return "unsure";
  const seen = leavesSeen(lifecycle.index, observation);
  const leaves = seen ?? restored.named;
  if (leaves === undefined && restored.origin === "lost" && input.status === undefined) {
    return beginAnew(input, problems, why);
  }
  if (leaves === undefined)
    return intervene(input, problems, {
      event: restoreEvent,
      cause: `the stored status has no state: ${why}`,
    });
  const cause =
    seen === undefined
      ? `only the name of the state is left: ${why}`
      : `it is observed in this state; ${why}`;
  return restore(input, leaves, cause);
}

function beginAnew(input: CycleInput, problems: Problem[], cause: string): Move {
  return (input.deleting ? endUnborn(input, problems) : undefined) ?? beginLife(input, problems, cause);
}

/** Nothing leads there: the application is found there. */
function restore({ lifecycle }: CycleInput, leaves: Leaves, cause: string): Move {
  const step = restoreAt(lifecycle, leaves);
  return { step, type: actorEvents.restore, event: restoreEvent, taker: "runtime", cause };
}

/** A resource that is deleted before its first cycle: straight to the end, by way of the stop when something is seen. */
function endUnborn(input: CycleInput, problems: Problem[]): Move | undefined {
  const { lifecycle, observation } = input;
  const { index, final } = lifecycle;
  const stop = exitTargets(index, final);
  if (final === undefined || stop === undefined) return undefined;
  const [type, targets] =
    wordsOf(observation).length === 0 ? [libraryEvents.end, [final]] : [libraryEvents.stop, stop];
  const step = takeLibraryEdge(input, problems, { from: undefined, event: type, to: enter(index, targets) });
  const cause = "the resource is being deleted";
  return { step, type, event: `desired.${final}`, taker: "runtime", cause };
}
