// What is taken for a machine of XState.
import type { AnyStateMachine } from "xstate";

/** Whether a value is a machine of XState; by shape, as an author's module may use another copy of the package. */
export function isMachine(value: unknown): value is AnyStateMachine {
  if (typeof value !== "object" || value === null) return false;
  const { id, config, root, getInitialSnapshot } = value as Readonly<Record<string, unknown>>;
  return (
    typeof id === "string" &&
    typeof config === "object" &&
    typeof root === "object" &&
    typeof getInitialSnapshot === "function"
  );
}
