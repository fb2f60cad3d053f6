// The static checks of an author's machine, because XState makes nearly none: `xstate-operator check` prints them, a kind
// with an error is refused.
import type { LifecycleMachine } from "../../../machines/lifecycle-machine.ts";
import { isOperatorError } from "../../ports/operator-error.ts";
import { checkCircles } from "./check-circles.ts";
import { checkInitial } from "./check-initial.ts";
import { checkImplementations, checkKeys } from "./check-keys.ts";
import { checkNames, type KnownNames } from "./check-names.ts";
import { checkOptions } from "./check-options.ts";
import { checkPaths } from "./check-paths.ts";
import { checkShape } from "./check-shape.ts";
import { compileLifecycle, type LifecycleOptions } from "../graph/compile-lifecycle.ts";
import { refuseErrors, type Problem } from "../../ports/problem.ts";

/**
 * Everything that is wrong with a machine and the options beside it, in document order of what it is about.
 *
 * **Guarantees**: never throws; nothing of the author runs but a context function.
 */
export function checkLifecycle(
  machine: LifecycleMachine,
  known: KnownNames = {},
  options: LifecycleOptions = {},
): readonly Problem[] {
  try {
    const wrongStart = checkInitial(machine);
    if (wrongStart.length > 0) return [...wrongStart, ...checkKeys(machine)];
    const lifecycle = compileLifecycle(machine);
    const circles = checkCircles(lifecycle);
    return [
      ...checkKeys(machine),
      ...checkImplementations(machine),
      ...checkShape(machine, lifecycle),
      ...checkNames(lifecycle, known),
      // Nothing leads out of a circle.
      ...(circles.length > 0 ? circles : checkPaths(lifecycle)),
      ...checkOptions(lifecycle, options),
    ];
  } catch (error: unknown) {
    if (!isOperatorError(error)) throw error;
    const { message, remedy = "Correct the machine." } = error;
    return [{ code: "LIFECYCLE_INVALID", severity: "error", message, remedy }];
  }
}

/**
 * What is wrong with the names in a machine, whatever options stand beside it.
 *
 * **Errors**: `LIFECYCLE_INVALID` for a machine that cannot be compiled.
 */
export function checkWritten(machine: LifecycleMachine): readonly Problem[] {
  const wrongStart = checkInitial(machine);
  if (wrongStart.length > 0) return [...wrongStart, ...checkKeys(machine)];
  return [
    ...checkKeys(machine),
    ...checkImplementations(machine),
    ...checkNames(compileLifecycle(machine), {}),
  ];
}

/**
 * Refuses a machine or options with errors, of a kind when it is named; the warnings of those without.
 *
 * **Errors**: `LIFECYCLE_INVALID`, one line per error; its field `problems` has the warnings too.
 */
export function assertLifecycle(
  machine: LifecycleMachine,
  options: LifecycleOptions = {},
  kind?: string,
): readonly Problem[] {
  const problems = checkLifecycle(machine, {}, options);
  refuseErrors(problems, {
    code: "LIFECYCLE_INVALID",
    subject: `the lifecycle "${machine.id}"`,
    fields: { machine: machine.id, kind },
    remedy: "Correct the machine; `xstate-operator check` lists warnings too.",
  });
  return problems;
}
