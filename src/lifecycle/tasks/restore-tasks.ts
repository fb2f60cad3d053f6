// The task records of a restored position: each active task has one, so that nothing is started whose past is unknown.
import type { Leaves } from "../../statechart/configuration.ts";
import type { GraphInvoke } from "../../statechart/graph.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { taskKeyOf } from "./task-key.ts";
import { keptElsewhere, type TaskRecord } from "./task-record.ts";
import { activeInvokes, type Tasks } from "./tasks.ts";
import { isLeft } from "./unsuccessful-end.ts";

/** A position, as far as its tasks are concerned. */
export interface EnteredPosition {
  readonly leaves: Leaves;
  readonly entry: number;
  readonly uid: string;
  /** Runs that were found by what they have started. */
  readonly findRuns?: () => Tasks;
}

/** A restored position. */
export interface RestoredPosition extends EnteredPosition {
  /** It comes from a whole snapshot of another graph: a task without a record is new in this graph. */
  readonly isMigrated: boolean;
  /** Everything stored is whole: what it says of other tasks is true. */
  readonly isWhole: boolean;
}

/**
 * The records of the active tasks; one without a whole record is lost, or new when the graph has just changed. A task that
 * only got another id in the new graph goes on under it; what ran under an id that means another task now is kept under
 * its key, so that it is cancelled.
 */
export function completeTasks(lifecycle: Lifecycle, tasks: Tasks, position: RestoredPosition): Tasks {
  const missing = missingTasks(lifecycle, tasks, position.leaves);
  // Of the same version, too, a graph may name another task now.
  const isNew =
    position.isMigrated || (position.isWhole && missing.every(({ id }) => tasks[id] !== undefined));
  return isNew && missing.length > 0
    ? migrateTasks(lifecycle, tasks, position)
    : withLostTasks(lifecycle, tasks, position);
}

/** The records, with one for each active task that has none: it may have run, so it is looked for and never started. */
export function withLostTasks(
  lifecycle: Lifecycle,
  tasks: Tasks,
  { leaves, entry, uid, findRuns }: EnteredPosition,
): Tasks {
  const missing = missingTasks(lifecycle, tasks, leaves);
  if (missing.length === 0) return tasks;
  const found = findRuns?.() ?? {};
  const lost = missing.map(
    ({ id, src }) => [id, found[id] ?? { ...taskOf(id, src, entry, uid), lost: true }] as const,
  );
  // What runs under an id that asks for something else now is kept under its key, so that it is cancelled.
  const replaced = missing.flatMap(({ id }) => {
    const task = tasks[id];
    return task === undefined || task.phase === "Succeeded" || task.phase === "Failed"
      ? []
      : [[task.key, keptElsewhere(id, task)] as const];
  });
  return { ...tasks, ...Object.fromEntries(lost), ...Object.fromEntries(replaced) };
}

function missingTasks(lifecycle: Lifecycle, tasks: Tasks, leaves: Leaves): readonly GraphInvoke[] {
  return activeInvokes(lifecycle, leaves).filter(({ id, src }) => tasks[id]?.src !== src);
}

function migrateTasks(lifecycle: Lifecycle, tasks: Tasks, { leaves, entry, uid }: EnteredPosition): Tasks {
  const active = activeInvokes(lifecycle, leaves);
  const isAsked = (id: string, { src }: TaskRecord): boolean =>
    active.some((invoke) => invoke.id === id && invoke.src === src);
  const left = new Map(Object.entries(tasks).filter(([id, task]) => !isAsked(id, task)));
  const completed: Record<string, TaskRecord> = Object.fromEntries(
    Object.entries(tasks).filter(([id]) => !left.has(id)),
  );
  for (const { id, src } of active.filter((invoke) => completed[invoke.id] === undefined)) {
    const former = [...left].find(([name, task]) => task.src === src && !isLeft(name, task));
    if (former !== undefined) left.delete(former[0]);
    // A number of its own: the key of whatever ran under this id before must not be used again.
    completed[id] = former === undefined ? taskOf(id, src, entry + 1, uid) : keptElsewhere(...former);
  }
  for (const [id, task] of left) {
    if (completed[id] === undefined) completed[id] = task;
    else completed[task.key] = keptElsewhere(id, task);
  }
  return completed;
}

function taskOf(id: string, src: string, entry: number, uid: string): TaskRecord {
  const key = taskKeyOf({ uid, entry, id, attempt: 1 });
  return { src, key, entry, attempt: 1, phase: "Intended" };
}
