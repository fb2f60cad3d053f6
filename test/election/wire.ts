// The way between a client and a server on a virtual clock: requests and answers can be slow, lost or refused.
import { ApiError } from "../../src/client/api-error.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { OperatorError } from "../../src/ports/operator-error.ts";
import type { LocalClock } from "./local-clock.ts";

/** What happens to one request; nothing by default. Times in milliseconds. */
export interface Fate {
  readonly requestDelay?: number;
  readonly answerDelay?: number;
  readonly lost?: "request" | "answer";
  /** An HTTP status to refuse it with. */
  readonly status?: number;
}

/** One request that has reached the server, in order. */
export interface Served {
  readonly at: number;
  readonly by: string;
  readonly call: string;
}

/** What a client says of one request. */
export interface Sending {
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

/** The way; the clock is the server's. */
export class Wire {
  readonly served: Served[] = [];
  /** Decides on each request, when it is sent. */
  fate: (by: string, call: string) => Fate = () => ({});
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sends a request of `by`, whose clock is given too; `serve` is what the server does when it has arrived. */
  send<T>(
    by: string,
    clock: LocalClock,
    call: string,
    serve: () => T,
    { timeout = 30_000, signal }: Sending = {},
  ): Promise<T> {
    const { requestDelay = 0, answerDelay = 0, lost, status } = this.fate(by, call);
    return new Promise<T>((resolve, reject) => {
      const fail = (error: Error): void => clock.whenAwake(() => settle(() => reject(error)));
      const timer = clock.setTimeout(
        () => fail(new OperatorError("REQUEST_TIMEOUT", `${call}: no answer within ${timeout} ms`)),
        timeout,
      );
      const abort = (): void => fail(signal?.reason as Error);
      const settle = (answer: () => void): void => {
        clock.clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        answer();
      };
      signal?.addEventListener("abort", abort, { once: true });
      if (signal?.aborted === true) abort();
      const answer = (outcome: () => void): void => {
        if (lost === "answer") return;
        this.#after(answerDelay, () => clock.whenAwake(() => settle(outcome)));
      };
      // An abort does not call back what is on its way.
      if (signal?.aborted === true || lost === "request") return;
      this.#after(requestDelay, () => {
        this.served.push({ at: this.#clock.now(), by, call });
        try {
          if (status !== undefined) throw apiError(status, "Refused");
          const value = serve();
          answer(() => resolve(value));
        } catch (error) {
          answer(() => reject(error));
        }
      });
    });
  }

  #after(delay: number, callback: () => void): void {
    if (delay === 0) callback();
    else this.#clock.setTimeout(callback, delay);
  }
}

/** A refusal. */
export function apiError(status: number, reason: string): ApiError {
  return new ApiError(`${reason} (${status})`, {
    status,
    reason,
    details: {},
    retryAfter: undefined,
    request: "test",
  });
}
