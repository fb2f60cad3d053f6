// Giving up: the author, or the runtime, says that retrying is useless until something changes.
// Thrown by hooks and resources; distinguished from other failures in failure-meaning.ts.
import { TerminalError, type OperatorErrorOptions } from "../../ports/operator-error.ts";

/**
 * Ends the reconcile without a retry: it is reconciled again on the next change and on a slow timer.
 * With a reason, the reason is reported on the condition; without one, the status is left alone.
 */
export class GiveUpError extends TerminalError {
  /** What people are shown; absent when there is nothing to tell. */
  readonly reason: string | undefined;

  constructor(reason?: string, options: OperatorErrorOptions = {}) {
    super("GAVE_UP", reason ?? "the reconcile was given up", options);
    this.reason = reason;
  }
}
