// The task records of a restored position: each active task has one, so that nothing is started whose past is unknown.
import type { Leaves } from "../statechart/configuration.ts";
import type { Lifecycle } from "./compile-lifecycle.ts";
import { taskKeyOf } from "./task-key.ts";
import type { TaskRecord } from "./task-record.ts";
import { activeInvokes, type Tasks } from "./tasks.ts";

/** The restored position, as far as its tasks are concerned. */
export interface RestoredEntry {
  readonly leaves: Leaves;
  /** It comes from a whole snapshot of another graph: a task without a record is new in this graph. */
  readonly isMigrated: boolean;
  readonly entry: number;
  readonly uid: string;
}

/**
 * The records of the active tasks; one without a whole record is lost, or new when the graph has just changed. A task that
 * only got another id in the new graph goes on under it.
 */
export function completeTasks(
  lifecycle: Lifecycle,
  tasks: Tasks,
  { leaves, isMigrated, entry, uid }: RestoredEntry,
): Tasks {
  const completed: Record<string, Tasks[string]> = { ...tasks };
  const active = activeInvokes(lifecycle, leaves);
  for (const { id, src } of active) {
    if (tasks[id]?.src === src) continue;
    const former = isMigrated
      ? Object.keys(completed).find((name) => isTheSame(completed[name], src) && !isAsked(active, name))
      : undefined;
    const known = former === undefined ? undefined : completed[former];
    if (former !== undefined && known !== undefined) {
      delete completed[former];
      completed[id] = known;
      continue;
    }
    const key = taskKeyOf({ uid, entry, id, attempt: 1 });
    completed[id] = {
      src,
      key,
      entry,
      attempt: 1,
      phase: "Intended",
      ...(isMigrated ? {} : { lost: true }),
    };
  }
  return completed;
}

function isTheSame(task: TaskRecord | undefined, src: string): boolean {
  return task?.src === src && task.phase !== "Cancelling";
}

function isAsked(active: readonly { readonly id: string }[], id: string): boolean {
  return active.some((invoke) => invoke.id === id);
}
