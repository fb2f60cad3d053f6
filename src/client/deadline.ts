// How long a request may take.
import { limitedSignal, type LimitedSignal } from "../ports/deadline.ts";
import type { Clock } from "../ports/clock.ts";
import { OperatorError } from "../ports/operator-error.ts";

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
export function createDeadline({ clock, timeout, signal, request, server }: DeadlineOptions): LimitedSignal {
  const late = (): OperatorError =>
    new OperatorError(
      "REQUEST_TIMEOUT",
      `${request}: no complete answer from ${server} within ${timeout} ms`,
      {
        fields: { request, server, timeout },
        remedy: "Try again; if it persists, the API server is overloaded or the network drops traffic.",
      },
    );
  return limitedSignal({ clock, signals: [signal], timeout, late });
}
