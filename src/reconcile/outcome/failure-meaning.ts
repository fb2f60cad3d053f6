// What a caught value means for the reconcile: the one place where an error becomes a decision.
// Read by Results; everything thrown by hooks, resources and requests comes through here.
import {
  TerminalError,
  type OperatorErrorOptions,
  isOperatorError,
  OperatorError,
  RequeueError,
} from "../../ports/operator-error.ts";
import {
  ApiError,
  isAlreadyExists,
  isConflict,
  isInvalid,
  isMisfit,
  isNamespaceTerminating,
  isTooLarge,
} from "../../client/api-error.ts";

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

/** Milliseconds after which a resource is reconciled again whose namespace is being deleted. */
const terminatingRecheck = 10_000;

/** What an error means. */
export type FailureMeaning =
  /** Retry with backoff, growing while the same error lasts; `after` when the server asks for a delay (milliseconds). */
  | { readonly kind: "retry"; readonly error: Error; readonly after: number | undefined }
  /** Not a failure but a wait: look again after `after` milliseconds. */
  | { readonly kind: "wait"; readonly error: Error; readonly after: number }
  /** Someone else wrote first: read again soon. */
  | { readonly kind: "conflict"; readonly error: Error }
  /** Do not retry until something changes; reported when there is a reason. */
  | { readonly kind: "giveUp"; readonly error: Error; readonly reported: boolean }
  /** The run was aborted from outside; says nothing about the resource. */
  | { readonly kind: "aborted"; readonly error: Error };

/** The meaning of a caught value; what is not an Error becomes one. */
export function meaningOf(caught: unknown): FailureMeaning {
  const error = toError(caught);
  if (error instanceof GiveUpError) return { kind: "giveUp", error, reported: error.reason !== undefined };
  if (error instanceof TerminalError) return { kind: "giveUp", error, reported: true };
  if (error instanceof RequeueError) return { kind: "wait", error, after: error.after };
  if (isOperatorError(error, "RECONCILE_ABORTED")) return { kind: "aborted", error };
  // What is asked for goes away with its namespace, and the custom resource with it: soon there is nothing to be done.
  if (isNamespaceTerminating(error)) return { kind: "wait", error, after: terminatingRecheck };
  // Already there: someone created it since it was looked up.
  if (isConflict(error) || isAlreadyExists(error)) return { kind: "conflict", error };
  return { kind: "retry", error, after: error instanceof ApiError ? error.retryAfter : undefined };
}

/** The error in a caught value, made when it is none. */
export function toError(caught: unknown): Error {
  if (caught instanceof Error) return caught;
  return new OperatorError("NOT_AN_ERROR", `a hook threw ${describe(caught)} instead of an error`, {
    cause: caught,
    remedy: "Throw an Error, so that its message and its place are known.",
  });
}

function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object" || value === null) return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

/** HTTP status that an error carries: an API server's, or that of any HTTP client which calls it `status`. */
export function statusOf(caught: unknown): number | undefined {
  if (typeof caught !== "object" || caught === null || !("status" in caught)) return undefined;
  return typeof caught.status === "number" ? caught.status : undefined;
}

/** Whether the API server refused what a request holds: the same again is useless, something else may be taken. */
export function isContentRefused(caught: unknown): boolean {
  if (isOperatorError(caught, "RESOURCE_IMMUTABLE")) return true;
  return isInvalid(caught) || isTooLarge(caught) || isMisfit(caught);
}

/** Whether what was asked for does not exist. */
export function isAlreadyGone(caught: unknown): boolean {
  const status = statusOf(caught);
  return status === 404 || status === 410;
}
