// The end of a task that has not succeeded: what still runs is cancelled, then what it has left behind is undone, and only
// then is it over. Pure steps over its record; each call is made once the record that says so is persisted.
import { backoffDelay } from "../../ports/backoff.ts";
import {
  ended,
  givenTo,
  isDue,
  keptElsewhere,
  longestRetryDelay,
  policyOf,
  type TaskRecord,
  type TaskWorld,
} from "./task-record.ts";
import { answered, unanswered, type TaskEffect, type TaskReport } from "./task-report.ts";
import { formatInstant } from "../values/untrusted.ts";

/** Whether a task is being cancelled or compensated. */
export function isEnding({ phase }: TaskRecord): boolean {
  return phase === "Cancelling" || phase === "Compensating";
}

/** Whether a task ends whose state was left: no machine waits for it, and it is kept under its key. */
export function isLeft(id: string, task: TaskRecord): boolean {
  return isEnding(task) && id === task.key;
}

/** Whether what a task leaves behind is undone. One whose record was lost may have succeeded: then nothing of it is touched. */
export function isCompensated({ src, lost }: TaskRecord, world: TaskWorld): boolean {
  return lost !== true && policyOf(world, src)?.compensates === true;
}

/** A task that runs, or may run, and is to be ended. */
export function toCancelling(task: TaskRecord): TaskRecord {
  return { ...endingOf(task), phase: "Cancelling" };
}

/** A task of which nothing runs any more, and that has not succeeded. */
export function toCompensating(task: TaskRecord): TaskRecord {
  return { ...endingOf(task), phase: "Compensating" };
}

/** A task that has failed for good, and of which nothing runs. */
export function toFailed(task: TaskRecord, message: string, world: TaskWorld): TaskRecord {
  // It was seen to fail, so it has not succeeded, also where its record was lost.
  return policyOf(world, task.src)?.compensates === true
    ? { ...toCompensating(task), failure: failureOf(message) }
    : { ...ended(task), phase: "Failed", message };
}

/** A task whose time is over: the failure is delivered at once, unless something is to be undone first. */
export function toLate(id: string, task: TaskRecord, world: TaskWorld): readonly [string, TaskRecord][] {
  const last = task.message === undefined ? "" : `; last: ${task.message}`;
  const message = `not done by its deadline${last}`;
  const cancelled = toCancelling(task);
  if (isCompensated(task, world)) return [[id, { ...cancelled, failure: failureOf(message) }]];
  return [
    [id, { ...ended(task), phase: "Failed", message }],
    [task.key, keptElsewhere(id, cancelled)],
  ];
}

/** The record of an ending task once its state is left: its failure tells nobody anything any more. */
export function leave({ failure: _failure, ...task }: TaskRecord): TaskRecord {
  return task;
}

/** What is to be called for an ending task now, if anything. */
export function endEffects(id: string, task: TaskRecord, now: number): readonly TaskEffect[] {
  if (!isEnding(task) || !isDue(task, now)) return [];
  return [{ kind: task.phase === "Cancelling" ? "cancelTask" : "compensateTask", id, task }];
}

/** The record of an ending task after a report; undefined once it is over and nobody waits for it. */
export function afterEnding(
  id: string,
  task: TaskRecord,
  report: TaskReport | undefined,
  world: TaskWorld,
): TaskRecord | undefined {
  const isCancel = task.phase === "Cancelling";
  switch (report?.kind) {
    case "cancelled":
      if (!isCancel) return task;
      return isCompensated(task, world) ? toCompensating(task) : overOf(id, task);
    case "compensated":
      return isCancel ? task : overOf(id, task);
    case "cancelFailed":
      return isCancel ? again(task, { message: report.message }, world.now) : task;
    case "compensateFailed":
      return isCancel ? task : again(task, { message: report.message }, world.now);
    case "unanswered":
      return report.hook === (isCancel ? "cancel" : "compensate")
        ? again(task, unanswered(task, report), world.now)
        : task;
    case "started":
    case "startFailed":
    case "startLater":
    case "observed":
    case "lookFailed":
    case undefined:
      return task;
  }
  return task;
}

function overOf(id: string, task: TaskRecord): TaskRecord | undefined {
  if (isLeft(id, task)) return undefined;
  return { ...ended(task), phase: "Failed", message: failureOf(task.failure) };
}

/** No more than the cause of a move keeps of it. */
const longestFailure = 512;

function failureOf(message = ""): string {
  return message === "" ? "it did not succeed" : message.slice(0, longestFailure);
}

/** A call that failed is made again, ever later. */
function again(task: TaskRecord, reported: Pick<TaskRecord, "hanging" | "message">, now: number): TaskRecord {
  const name = task.phase === "Cancelling" ? "cancels" : "compensations";
  const count = (task[name] ?? 0) + 1;
  const delay = backoffDelay({ first: 5_000, longest: longestRetryDelay }, count);
  return { ...answered(task), ...reported, [name]: count, nextAttempt: formatInstant(now + delay) };
}

function endingOf(task: TaskRecord): Omit<TaskRecord, "phase"> {
  const { handle, lost, failure, earlier } = task;
  return {
    ...ended(task),
    ...givenTo(task),
    ...(handle === undefined ? {} : { handle }),
    ...(lost === undefined ? {} : { lost }),
    ...(failure === undefined ? {} : { failure }),
    ...(earlier === undefined ? {} : { earlier }),
  };
}
