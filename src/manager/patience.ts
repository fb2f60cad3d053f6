// A start that a network's hiccup must not end: what fails for want of a connection is done again, a few times. Longer
// outages end the start with their error, so that the supervisor of the process sees it.
import { sleep, type Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { isOperatorError } from "../ports/operator-error.ts";

/** Milliseconds before each further attempt. */
const pauses = [250, 750, 1_500];

/** Does idempotent work. **Errors**: its own; `CONNECTION_FAILED` only when it failed every time. */
export async function patiently<T>(
  work: () => Promise<T>,
  { clock, log, signal }: { readonly clock: Clock; readonly log: Logger; readonly signal: AbortSignal },
): Promise<T> {
  for (const pause of pauses) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isOperatorError(error, "CONNECTION_FAILED")) throw error;
      log.warn({ error: error.message, pause }, "cannot connect to the API server yet, retrying");
    }
    await sleep(clock, pause, signal);
  }
  return work();
}
