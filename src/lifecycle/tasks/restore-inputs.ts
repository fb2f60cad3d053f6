// The inputs of restored tasks whose records have none: they came with a new version of the graph, or their records were lost.
import { placedMessage, type Problem } from "../../ports/problem.ts";
import type { Position } from "../../statechart/statechart.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { actorEvents } from "../graph/library-edges.ts";
import { machineFailure } from "../values/machine-failure.ts";
import { ended, type TaskRecord } from "./task-record.ts";
import { activeInvokes, type Tasks } from "./tasks.ts";

/**
 * The records of the active tasks, with the inputs that are missing as they come to now. A task that has yet to be started fails
 * where that cannot be determined; what may run already is observed and ended without an input.
 */
export function withInputs(
  lifecycle: Lifecycle,
  tasks: Tasks,
  position: Position,
  { spec, problems }: { readonly spec: unknown; readonly problems: Problem[] },
): Tasks {
  const missing = activeInvokes(lifecycle, position.leaves).flatMap(({ id, input }) => {
    const task = tasks[id];
    return input !== undefined && task !== undefined && isOpen(task) && task.input === undefined
      ? [[id, task] as const]
      : [];
  });
  if (missing.length === 0) return tasks;
  const event = { type: actorEvents.restore, spec: spec ?? {}, facts: {} };
  const completed = missing.map(([id, task]): readonly [string, TaskRecord] => {
    try {
      const input = lifecycle.chart.inputOf(id, position, event);
      return [id, input === undefined ? task : { ...task, input }];
    } catch (error: unknown) {
      const problem = machineFailure(error);
      problems.push(problem);
      const message = placedMessage(problem);
      const isNew = task.phase === "Intended" && task.lost !== true;
      return [id, isNew ? { ...ended(task), phase: "Failed", message } : task];
    }
  });
  return { ...tasks, ...Object.fromEntries(completed) };
}

function isOpen({ phase }: TaskRecord): boolean {
  return phase !== "Succeeded" && phase !== "Failed";
}
