// How long a request may take.
import { limitedSignal, type Ends, type LimitedSignal } from "../ports/deadline.ts";
import type { Clock } from "../ports/clock.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { nameOf } from "./request-path.ts";

/** What a deadline is made of. */
export interface DeadlineOptions {
  readonly clock: Clock;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
  readonly until?: Ends | undefined;
  /** For the message. */
  readonly request: { readonly method: string; readonly path: string };
  readonly server: string;
}

/** What is over with what the caller has given (and its reason) or after the limit (with `REQUEST_TIMEOUT`). */
export function createDeadline({
  clock,
  timeout,
  signal,
  until,
  request,
  server,
}: DeadlineOptions): LimitedSignal {
  const late = (): OperatorError => {
    const name = nameOf(request);
    return new OperatorError(
      "REQUEST_TIMEOUT",
      `${name}: no complete answer from ${server} within ${timeout} ms`,
      {
        fields: { request: name, server, timeout },
        remedy: "Try again; if it persists, the API server is overloaded or the network drops traffic.",
      },
    );
  };
  return limitedSignal({ clock, signals: [signal], until, timeout, late });
}
