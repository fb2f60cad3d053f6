// What a cycle reports of a function in a machine that has thrown: which one, on which edge, and where its author has written it.
import { placeOfError } from "../../ports/author-code.ts";
import { isOperatorError } from "../../ports/operator-error.ts";
import type { Problem } from "../../ports/problem.ts";

/** The problem; anything else that was caught is thrown again. `state`: where the application is. */
export function machineFailure(caught: unknown, state?: string): Problem {
  if (!isOperatorError(caught, "MACHINE_FAILED")) throw caught;
  const { code, message, remedy = "", cause } = caught;
  const where = placeOfError(cause);
  return {
    code,
    severity: "error",
    ...(state === undefined ? {} : { state }),
    ...(where === undefined ? {} : { where }),
    message,
    remedy,
  };
}
