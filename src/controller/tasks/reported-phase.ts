// How far a service says that a task is, in the form that the sidecar speaks: an object with a phase. Whoever speaks another form
// is read by the author's `read`.
import type { TaskObservation } from "../../lifecycle/tasks/task-definition.ts";
import { OperatorError } from "../../ports/operator-error.ts";

/** The observation that a value is; its other fields are checked by whoever runs the task. Errors: `TASK_STATUS_UNREADABLE`. */
export function reportedPhase(said: unknown, who: string): TaskObservation {
  const { phase } = (typeof said === "object" && said !== null ? said : {}) as { readonly phase?: unknown };
  if (phase === "Running" || phase === "Succeeded" || phase === "Failed" || phase === "NotFound") {
    return said as TaskObservation;
  }
  throw new OperatorError("TASK_STATUS_UNREADABLE", `${who} does not say in which phase the task is`, {
    remedy:
      'Let it answer in JSON with a phase: "Running", "Succeeded", "Failed" or "NotFound"; or write read: (answer) => ({ phase: … }).',
  });
}
