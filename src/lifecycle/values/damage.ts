// What a cycle reports of a stored record that is not as it should be.
import type { Problem } from "../../ports/problem.ts";

/** Something stored that is not as it should be, and is derived again. */
export function damage(message: string): Problem {
  return {
    code: "SNAPSHOT_INVALID",
    severity: "warning",
    message,
    remedy:
      "Nothing: the rest is derived again. If nobody edited the status, report it with the object's YAML.",
  };
}
