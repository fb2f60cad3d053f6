// Faults of whole requests: refused, dropped, or held back before they are looked at; answers that are lost.
import { sleep, type Clock } from "../../../ports/clock.ts";
import type { Refusal } from "../../cluster-faults.ts";
import type { Exchange } from "../requests/exchange.ts";
import { StatusError } from "../status-error.ts";
import { FaultList } from "./fault-list.ts";
import { seenOf } from "./request-match.ts";

/** How long a request is held back. */
export interface Hold {
  readonly milliseconds: number;
  /** Aborted when the fault is ended. */
  readonly ended: AbortSignal;
}

const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "Expired",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/** The faults of requests that are there. */
export class RequestFaults {
  readonly refusals = new FaultList<Refusal>();
  readonly resets = new FaultList<true>();
  readonly losses = new FaultList<true>();
  readonly holds = new FaultList<Hold>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Lets a request through, perhaps late, or drops its connection. Errors: StatusError for a refusal. */
  async admit(exchange: Exchange): Promise<"proceed" | "dropped"> {
    const { refusals, resets, losses, holds } = this;
    if (refusals.isEmpty && resets.isEmpty && losses.isEmpty && holds.isEmpty) return "proceed";
    const seen = seenOf(exchange);
    if (seen === undefined) return "proceed";
    const hold = holds.strike(seen);
    if (hold !== undefined) await this.#wait(exchange, hold);
    if (resets.strike(seen) !== undefined) {
      exchange.request.socket.destroy();
      return "dropped";
    }
    const refusal = refusals.strike(seen);
    if (refusal !== undefined) throw toStatusError(refusal);
    if (losses.strike(seen) !== undefined) loseAnswer(exchange);
    return "proceed";
  }

  clear(): void {
    for (const list of [this.refusals, this.resets, this.losses, this.holds]) list.clear();
  }

  async #wait({ response }: Exchange, { milliseconds, ended }: Hold): Promise<void> {
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    response.once("close", leave);
    const end = AbortSignal.any([ended, gone.signal]);
    if (milliseconds === Infinity) await untilAborted(end);
    else await sleep(this.#clock, milliseconds, end);
    response.off("close", leave);
  }
}

/** Everything is done as usual, but the connection is closed where the answer would be sent. */
function loseAnswer({ request, response }: Exchange): void {
  response.end = () => {
    request.socket.destroy();
    return response;
  };
}

function toStatusError({ status, reason = reasons[status], message, retryAfter }: Refusal): StatusError {
  return new StatusError(
    status,
    reason,
    message ?? `the cluster was configured to answer ${status}${reason === undefined ? "" : ` ${reason}`}`,
    retryAfter === undefined ? undefined : { retryAfterSeconds: retryAfter },
  );
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
