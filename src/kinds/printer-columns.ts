// What `kubectl get` shows of a kind: the columns every kind has, with the author's own before Age.
import { readyCondition } from "../meta/health.ts";
import type { PrinterColumn } from "./builtin/apiextensions.ts";

const state: PrinterColumn = {
  name: "State",
  type: "string",
  jsonPath: ".status.lifecycle.state",
  description: "The state of the application.",
};

const desired: PrinterColumn = {
  name: "Desired",
  type: "string",
  // The target that counts: after a one-time target it is the state in which the application rests.
  jsonPath: ".status.lifecycle.target.state",
  description: "The state that the operator leads the application to, or maintains.",
};

const age: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/** The columns of a kind; `own` are the author's. */
export function printerColumnsOf(
  hasLifecycle: boolean,
  own: readonly PrinterColumn[],
): readonly PrinterColumn[] {
  const ready: PrinterColumn = {
    name: "Ready",
    type: "string",
    jsonPath: `.status.conditions[?(@.type=="${readyCondition}")].status`,
    description: hasLifecycle
      ? "Whether the application can be used."
      : "Whether everything that is declared is there and ready.",
  };
  const message: PrinterColumn = {
    name: "Message",
    type: "string",
    jsonPath: `.status.conditions[?(@.type=="${hasLifecycle ? "Lifecycle" : readyCondition}")].message`,
    description: "The reason for the state.",
    priority: 1,
  };
  return [...(hasLifecycle ? [state, desired] : []), ready, ...own, age, message];
}
