// How an object that a task has made is known from one that is declared.
import { isLikeTaskKey } from "../../lifecycle/tasks/task-key.ts";
import type { KubeObject } from "../../meta/object.ts";

/** Says which task has created an object: its key. */
export const createdByAnnotation = "lifecycle.xstate-operator.dev/created-by-task";

/** Whether a task has made an object: what it applies says so, and a Job has the task's key as its name. */
export function isMadeByTask({ metadata: { name, annotations } }: KubeObject): boolean {
  return annotations?.[createdByAnnotation] !== undefined || isLikeTaskKey(name);
}
