// The static checks of an author's machine, because XState makes nearly none: `xstate-operator check` prints them, a kind
// with an error is refused.
import type { LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import { isOperatorError, OperatorError } from "../ports/operator-error.ts";
import { checkNames, type KnownNames } from "./check-names.ts";
import { checkPaths } from "./check-paths.ts";
import { checkShape } from "./check-shape.ts";
import { compileLifecycle } from "./compile-lifecycle.ts";
import type { Problem } from "./problem.ts";

/**
 * Everything that is wrong with a machine, in document order of what it is about.
 *
 * **Guarantees**: never throws; nothing of the author runs but a context function.
 */
export function checkLifecycle(machine: LifecycleMachine, known: KnownNames = {}): readonly Problem[] {
  try {
    const lifecycle = compileLifecycle(machine);
    return [...checkShape(machine, lifecycle), ...checkNames(lifecycle, known), ...checkPaths(lifecycle)];
  } catch (error: unknown) {
    if (!isOperatorError(error)) throw error;
    const { message, remedy = "Correct the machine." } = error;
    return [{ code: "LIFECYCLE_INVALID", severity: "error", message, remedy }];
  }
}

/**
 * Refuses a machine with errors; the warnings of one without.
 *
 * **Errors**: `LIFECYCLE_INVALID`, one line per error; its field `problems` has the warnings too.
 */
export function assertLifecycle(machine: LifecycleMachine, known: KnownNames = {}): readonly Problem[] {
  const problems = checkLifecycle(machine, known);
  const errors = problems.filter((problem) => problem.severity === "error");
  if (errors.length === 0) return problems;
  const lines = errors.map(({ message, remedy }) => `- ${message} (${remedy})`);
  throw new OperatorError(
    "LIFECYCLE_INVALID",
    `the lifecycle "${machine.id}" has errors:\n${lines.join("\n")}`,
    {
      fields: { machine: machine.id, errors: errors.length, problems },
      remedy: "Correct the machine; `xstate-operator check` lists warnings too.",
    },
  );
}
