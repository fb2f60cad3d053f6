// What is asked of an author's task functions, what they answer, and how silence is recorded. Pure.
import type { Json } from "../../meta/object.ts";
import type { TaskObservation } from "./task-definition.ts";
import type { TaskHook, TaskRecord } from "./task-record.ts";
import { formatInstant } from "../values/untrusted.ts";

/** What became of a call to an author's task function. */
export type TaskReport = { readonly key: string } & (
  | { readonly kind: "started"; readonly handle?: Json }
  | {
      readonly kind: "startFailed";
      readonly message: string;
      /** No other attempt can succeed, because the namespace is being deleted. */
      readonly namespaceGoing?: true;
    }
  /** Nothing was started, because it is too much at present: tried again, and no failed attempt. */
  | { readonly kind: "startLater"; readonly message: string; readonly after?: number }
  | { readonly kind: "observed"; readonly observation: TaskObservation }
  | { readonly kind: "lookFailed"; readonly message: string }
  /** The function has not returned in time, or its answer was lost: whether it did anything is not known. */
  | { readonly kind: "unanswered"; readonly hook: TaskHook; readonly since: number; readonly error?: string }
  | { readonly kind: "cancelled" }
  | { readonly kind: "cancelFailed"; readonly message: string }
  | { readonly kind: "compensated" }
  | { readonly kind: "compensateFailed"; readonly message: string }
);

/** A call to an author's task function, to be made once the records are persisted. */
export interface TaskEffect {
  readonly kind: "startTask" | "cancelTask" | "compensateTask";
  readonly id: string;
  readonly task: TaskRecord;
}

/** What is recorded of a call without an answer; since when stays what it was, while the same one goes on. */
export function unanswered(
  { src, hanging: before }: TaskRecord,
  { hook, since, error }: Extract<TaskReport, { readonly kind: "unanswered" }>,
): Pick<TaskRecord, "hanging" | "message"> {
  if (error !== undefined) {
    const next =
      hook === "cancel" || hook === "compensate"
        ? "it is called again"
        : "the next observation shows what it did";
    return { message: `${hook} of the task ${src} did not answer: ${error}; ${next}` };
  }
  const hanging = before?.hook === hook ? before : { hook, since: formatInstant(since) };
  const again = hook === "start" ? "; it is not called again before it has" : "";
  const message =
    `${hook} of the task ${src} has not returned since ${hanging.since}${again}: ` +
    "return at once, let the work continue in the background, and pass the signal to what it awaits";
  return { hanging, message };
}

/** The record once nothing hangs. */
export function answered(task: TaskRecord): TaskRecord {
  if (task.hanging === undefined) return task;
  const { hanging: _hanging, message: _message, ...rest } = task;
  return rest;
}
