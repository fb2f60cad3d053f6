// One abort signal per request, out of the caller's signal and a time limit.
import type { Clock } from "../ports/clock.ts";
import { OperatorError } from "../ports/operator-error.ts";

/** An abort signal with a limit. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Takes the time limit off; the caller's signal stays connected. */
  lift(): void;
  /** Lets go of timer and listener. */
  release(): void;
}

/** What a deadline is made of. */
export interface DeadlineOptions {
  readonly clock: Clock;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
  /** For the message: `verb path`. */
  readonly request: string;
  readonly server: string;
}

/** A signal that is aborted by the caller's (with its reason) or after the limit (with `REQUEST_TIMEOUT`). */
export function createDeadline({ clock, timeout, signal, request, server }: DeadlineOptions): Deadline {
  const abort = new AbortController();
  const forward = (): void => abort.abort(signal?.reason);
  if (signal?.aborted === true) forward();
  else signal?.addEventListener("abort", forward, { once: true });
  const timer = clock.setTimeout(() => {
    abort.abort(
      new OperatorError(
        "REQUEST_TIMEOUT",
        `${request}: no complete answer from ${server} within ${timeout} ms`,
        {
          fields: { request, server, timeout },
          remedy:
            "Try again; if it lasts, the API server is overloaded or something on the way swallows traffic.",
        },
      ),
    );
  }, timeout);
  const lift = (): void => clock.clearTimeout(timer);
  return {
    signal: abort.signal,
    lift,
    release() {
      lift();
      signal?.removeEventListener("abort", forward);
    },
  };
}
