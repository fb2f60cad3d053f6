// What an API server's refusal becomes: one class, mapped once from the answer, distinguished by guards.
// Fed by the transport (answers that are not 2xx) and by the watch stream (ERROR lines); read by everything above.
import { isOperatorError, messageOf, OperatorError } from "../ports/operator-error.ts";

/**
 * The API server said no.
 *
 * Its `code` follows the reason: `API_NOT_FOUND`, `API_CONFLICT`, `API_ALREADY_EXISTS`, `API_GONE`, `API_FORBIDDEN`,
 * `API_UNAUTHORIZED`, `API_INVALID`, `API_BAD_REQUEST`, `API_TOO_MANY_REQUESTS`, `API_UNAVAILABLE`; or it says that the server
 * is well although its answer is 500: `API_MISFIT`, `API_TOO_LARGE`; else `API_ERROR`.
 */
export class ApiError extends OperatorError {
  /** HTTP status code. */
  readonly status: number;
  /** Reason of the Status, for instance `NotFound`; derived from the status code when there is none. */
  readonly reason: string;
  /** What the Status says about the object. */
  readonly details: {
    /** The object's name. */
    readonly name?: string;
    /** Its API group. */
    readonly group?: string;
    /** Its resource, in the plural, or its kind. */
    readonly kind?: string;
    /** Which object of that name. */
    readonly uid?: string;
    /** For instance one for each invalid field. */
    readonly causes?: readonly {
      /** One word: `FieldValueInvalid`. */
      readonly reason?: string;
      /** What is wrong with it, for people. */
      readonly message?: string;
      /** Where: `spec.replicas`. */
      readonly field?: string;
    }[];
    /** Seconds after which a request may be repeated. */
    readonly retryAfterSeconds?: number;
  };
  /** Milliseconds after which the server wants to be asked again. */
  readonly retryAfter: number | undefined;
  /** `verb path` of the request. */
  readonly request: string;

  constructor(message: string, facts: ApiErrorFacts) {
    const remedy = remedyFor(facts, message);
    super(codeFor(facts, message), message, {
      fields: { status: facts.status, reason: facts.reason, request: facts.request },
      ...(remedy === undefined ? {} : { remedy }),
    });
    this.status = facts.status;
    this.reason = facts.reason;
    this.details = facts.details;
    this.retryAfter = facts.retryAfter;
    this.request = facts.request;
  }
}

/** What an {@link ApiError} is made of. */
type ApiErrorFacts = Pick<ApiError, "status" | "reason" | "details" | "retryAfter" | "request">;

/** What a Status says about the object. */
export type StatusDetails = ApiError["details"];

/** One field that another manager owns. */
export interface FieldManagerConflict {
  /** For instance `.spec.replicas`. */
  readonly field: string;
  /** The owner's name. */
  readonly manager: string;
}

const isApiError = (error: unknown): error is ApiError => error instanceof ApiError;

/** What the API server itself says, without the request that it refused and its status; of another error its message. */
export function refusalOf(error: unknown): string {
  if (!isApiError(error)) return messageOf(error);
  const { message, request, status } = error;
  const said = message.startsWith(`${request}: `) ? message.slice(request.length + 2) : message;
  return said.replace(new RegExp(` \\(${status}[^()]*\\)$`), "");
}

/** 404: the object, or the type itself, is not there. */
export const isNotFound = (error: unknown): error is ApiError => isApiError(error) && error.status === 404;

/** 404 that names no object: the server does not serve the type, or not in this version. */
export const isNotServed = (error: unknown): error is ApiError =>
  isNotFound(error) && error.details.name === undefined;

/** 409 because the object changed meanwhile, or because a field is owned by another manager. */
export const isConflict = (error: unknown): error is ApiError =>
  isApiError(error) && error.status === 409 && error.reason !== "AlreadyExists";

/** 409 because an object of that name exists. */
export const isAlreadyExists = (error: unknown): error is ApiError =>
  isApiError(error) && error.reason === "AlreadyExists";

/** 410: the resourceVersion or continue token is too old; list again. */
export const isGone = (error: unknown): error is ApiError =>
  isApiError(error) && (error.status === 410 || error.reason === "Expired" || error.reason === "Gone");

/** 403: not allowed, or refused by an admission plugin. */
export const isForbidden = (error: unknown): error is ApiError => isApiError(error) && error.status === 403;

/** 403 because the namespace is being deleted: nothing new can be created in it any more. */
export const isNamespaceTerminating = (error: unknown): error is ApiError =>
  isForbidden(error) && (error.details.causes ?? []).some(({ reason }) => reason === "NamespaceTerminating");

/** 422: the object breaks a rule; retrying the same is useless. */
export const isInvalid = (error: unknown): error is ApiError =>
  isApiError(error) && error.reason === "Invalid";

/** More than the server or its storage accepts in one object; the storage's refusal is a 500 and is recognised by its text. */
export const isTooLarge = (error: unknown): error is ApiError => isOperatorError(error, "API_TOO_LARGE");

/**
 * What is sent does not fit: the type's schema, as a list has two items of one key, or what there is already, as two ports of a
 * Service have one port of the nodes. Retrying the same is useless. kube-apiserver answers that with 400 or 500, so it is recognised
 * by its text.
 */
export const isMisfit = (error: unknown): error is ApiError => isOperatorError(error, "API_MISFIT");

/** What kube-apiserver says of what it was sent with an answer that blames itself. */
const misfits: readonly RegExp[] = [
  /failed to create typed (?:patch|live) object/,
  /failed to convert new object .* to smd typed/,
  // A quantity, a time, base64; that a conversion webhook is down reads otherwise.
  /unable to convert unstructured object to/,
  /\bduplicate nodePort: /,
  /failed to allocate requested HealthCheck NodePort \d+: provided port is /,
];
const tooLarge = /request is too large|message larger than max/;
const unreadable = / in version ".*" cannot be handled as an? /;

/** 429: slow down; {@link ApiError.retryAfter} says for how long. */
export const isTooManyRequests = (error: unknown): error is ApiError =>
  isApiError(error) && error.status === 429;

/** 409 of server-side apply; see {@link fieldManagerConflictsOf}. */
export const isFieldManagerConflict = (error: unknown): error is ApiError =>
  isApiError(error) && (error.details.causes ?? []).some((cause) => cause.reason === "FieldManagerConflict");

/** Whether no answer came at all: the request may or may not have been carried out. */
export const isConnectionError = (error: unknown): error is OperatorError =>
  isOperatorError(error, "CONNECTION_FAILED") || isOperatorError(error, "REQUEST_TIMEOUT");

/** Whether a request went out, and nobody knows what became of it: no answer came, or none in time. */
export const isUnanswered = (error: unknown): boolean =>
  isConnectionError(error) || (isApiError(error) && error.status === 504);

/** Whether a write that failed may have been carried out: no answer came, or the API server is in trouble. */
export const mayHaveHappened = (error: unknown): boolean => !isApiError(error) || isServerTrouble(error);

/** Whether the API server could not be reached or is in trouble itself: nothing is said about what was asked for. */
export const isServerTrouble = (error: unknown): boolean =>
  isConnectionError(error) ||
  (isApiError(error) && error.status >= 500 && !isTooLarge(error) && !isMisfit(error));

/** Whether the API server could not convert an object to another version of its kind, as the webhook for that gave no answer. */
export const isConversionFailure = (error: unknown): boolean =>
  isApiError(error) && error.status === 500 && error.message.includes("conversion webhook for ");

/** The fields of a refused apply and who owns them. */
export function fieldManagerConflictsOf(error: ApiError): readonly FieldManagerConflict[] {
  return (error.details.causes ?? [])
    .filter((cause) => cause.reason === "FieldManagerConflict")
    .map((cause) => ({
      field: cause.field ?? "",
      // `conflict with "manager"`, followed by subresource and apiVersion when they differ.
      manager: /^conflict with "([^"]*)"/.exec(cause.message ?? "")?.[1] ?? "",
    }));
}

const codes: Readonly<Record<string, string>> = {
  NotFound: "API_NOT_FOUND",
  Conflict: "API_CONFLICT",
  AlreadyExists: "API_ALREADY_EXISTS",
  Gone: "API_GONE",
  Expired: "API_GONE",
  Forbidden: "API_FORBIDDEN",
  Unauthorized: "API_UNAUTHORIZED",
  Invalid: "API_INVALID",
  BadRequest: "API_BAD_REQUEST",
  TooManyRequests: "API_TOO_MANY_REQUESTS",
  ServiceUnavailable: "API_UNAVAILABLE",
};

function codeFor({ status, reason }: ApiErrorFacts, message: string): string {
  if (status === 413 || (status === 500 && tooLarge.test(message))) return "API_TOO_LARGE";
  const isMisfitting =
    (status === 500 && misfits.some((text) => text.test(message))) ||
    (status === 400 && unreadable.test(message));
  return isMisfitting ? "API_MISFIT" : (codes[reason] ?? "API_ERROR");
}

function remedyFor(facts: ApiErrorFacts, message: string): string | undefined {
  const { status, reason, retryAfter } = facts;
  // What Go's HTTPS server says to plain HTTP.
  if (status === 400 && message.includes("HTTP request to an HTTPS server"))
    return "Use https:// in the kubeconfig, as the server speaks TLS on that port.";
  if (status === 401)
    return "Check the credentials: the token or client certificate was not accepted, or has expired.";
  if (status === 403 && message.includes('User "system:anonymous"'))
    return "Check the credentials: the request had none, as the user of the kubeconfig has no token, certificate or plugin.";
  if (status === 403 && reason === "Forbidden")
    return "Grant the verb that the message names to that user or service account (a Role and its binding).";
  if (status === 409 && reason === "Conflict") return "Read the object again and repeat the change.";
  if (status === 410) return "List again: the server has forgotten that version.";
  if (status === 422) return "Correct the fields that the message names.";
  const code = codeFor(facts, message);
  if (code === "API_MISFIT") return "Correct what the message names: the API server itself is well.";
  if (code === "API_TOO_LARGE") return "Make the object smaller, or spread what it holds over several.";
  if (retryAfter !== undefined) return `Try again in ${Math.ceil(retryAfter / 1000)} s.`;
  return undefined;
}
