// What the user typed wrong, as opposed to what went wrong: exit code 2.
import { OperatorError } from "../ports/operator-error.ts";

/** The command line itself is wrong. */
export class UsageError extends OperatorError {
  constructor(message: string, remedy: string) {
    super("USAGE", message, { remedy });
  }
}
