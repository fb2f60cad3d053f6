// Which attempts of tasks a cycle has ended, how, and after how long: for metrics. Pure; called by cycle.ts.
import type { TaskRecord } from "./task-record.ts";
import type { Tasks } from "./tasks.ts";
import { isEnding } from "./unsuccessful-end.ts";
import { readInstant } from "../values/untrusted.ts";

/** One attempt of a task that is over. */
export interface TaskEnd {
  /** The name under which the author registered it. */
  readonly src: string;
  /** `cancelled`: its state was left before it was done. */
  readonly result: "succeeded" | "failed" | "cancelled";
  /** Milliseconds since it was found running; 0 when it was done at once. */
  readonly took: number;
}

/** The attempts that were open before, and are not after the reports or after the move. */
export function taskEndsOf(
  stages: { readonly before: Tasks; readonly reported: Tasks; readonly after: Tasks },
  now: number,
): readonly TaskEnd[] {
  return Object.entries(stages.before).flatMap(([id, task]) => {
    if (task.phase !== "Intended" && task.phase !== "Running") return [];
    const result = resultOf(task, stages.reported[id], stages.after[task.key]);
    if (result === undefined) return [];
    return [{ src: task.src, result, took: Math.max(0, now - (readInstant(task.startedAt) ?? now)) }];
  });
}

function resultOf(
  task: TaskRecord,
  reported: TaskRecord | undefined,
  after: TaskRecord | undefined,
): TaskEnd["result"] | undefined {
  if (reported?.phase === "Succeeded") return "succeeded";
  // Another key is another attempt: this one has failed.
  if (reported !== undefined && (reported.phase === "Failed" || reported.key !== task.key)) return "failed";
  if (reported !== undefined && isEnding(reported)) return "failed";
  return after?.phase === "Cancelling" ? "cancelled" : undefined;
}
