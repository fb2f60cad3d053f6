// What a call of a service comes to that gave no usable answer. The fields are those that tell the runner of tasks whether the
// service may have done what it was asked for: the status, or the connection's own code in the cause.
import { OperatorError, type OperatorErrorOptions } from "../ports/operator-error.ts";

/** A service answered, but not with success. */
export class HttpError extends OperatorError {
  /** HTTP status code. */
  readonly status: number;
  /** The beginning of the answer's body, decoded where it is JSON. */
  readonly body: unknown;
  /** Milliseconds after which the service wants to be asked again, if it said so. */
  readonly retryAfter: number | undefined;

  constructor(message: string, facts: Pick<HttpError, "status" | "body" | "retryAfter">) {
    super("HTTP_STATUS", message, {
      fields: { status: facts.status },
      remedy: "Read what the service says, and its log; correct the request, or what it asks for.",
    });
    this.status = facts.status;
    this.body = facts.body;
    this.retryAfter = facts.retryAfter;
  }
}

/** Whether a caught value is an answer of a service, with this status when one is given. */
export function isHttpError(error: unknown, status?: number): error is HttpError {
  return error instanceof HttpError && (status === undefined || error.status === status);
}

/** The connection failed before an answer was complete. */
export function unreachable(request: string, cause: unknown): OperatorError {
  const options: OperatorErrorOptions = {
    cause,
    fields: { request },
    remedy: "Check that the service runs, that its address is right, and that its certificate is trusted.",
  };
  return new OperatorError("HTTP_UNREACHABLE", `${request}: ${reasonOf(cause)}`, options);
}

/** The text of what went wrong: several addresses that were tried fail as one error without a text. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === "") return reasonOf(cause.errors[0]);
  return cause instanceof Error ? cause.message : String(cause);
}
