// Reads what an API server answered when it refused: a Status object, or plain text from the server or from a proxy.
import { ApiError, type StatusDetails } from "./api-error.ts";

/** An answer that is not 2xx. */
export interface Refusal {
  readonly status: number;
  readonly body: string;
  /** Value of the `Retry-After` header. */
  readonly retryAfter?: string | undefined;
  /** `verb path` of the request. */
  readonly request: string;
  /** The server, and what named it: included when it does not accept the credentials. */
  readonly where?: string;
  /** Removes from a text what must not be published; default nothing. */
  readonly conceal?: (text: string) => string;
}

interface StatusObject {
  readonly kind: "Status";
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: StatusDetails;
}

/** Reasons of answers that come without a Status. */
const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Expired",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/** Characters of a plain-text answer that are quoted. */
const longestQuote = 500;

/** The error for an answer that is not 2xx. */
export function toApiError(refusal: Refusal): ApiError {
  const status = parseStatus(refusal.body);
  if (status !== undefined) return statusToApiError(status, refusal);
  const text = (refusal.conceal?.(refusal.body) ?? refusal.body).trim().slice(0, longestQuote);
  return new ApiError(
    `${subjectOf(refusal, refusal.status)}: the server answered ${refusal.status}${text === "" ? "" : `: ${text}`}`,
    {
      status: refusal.status,
      reason: reasons[refusal.status] ?? "Unknown",
      details: {},
      retryAfter: readRetryAfter(undefined, refusal.retryAfter),
      request: refusal.request,
    },
  );
}

/** The error for a Status object, for instance of a watch's ERROR line. */
export function statusToApiError(
  status: unknown,
  refusal: Pick<Refusal, "request"> & Partial<Refusal>,
): ApiError {
  const object = isStatus(status) ? status : undefined;
  const code = object?.code ?? refusal.status ?? 500;
  const reason =
    object?.reason === undefined || object.reason === "" ? (reasons[code] ?? "Unknown") : object.reason;
  const { conceal = (text: string) => text } = refusal;
  return new ApiError(
    `${subjectOf(refusal, code)}: ${conceal(object?.message ?? "the server gave no message")} (${code} ${reason})`,
    {
      status: code,
      reason,
      details: concealDetails(object?.details ?? {}, conceal),
      retryAfter: readRetryAfter(object?.details, refusal.retryAfter),
      request: refusal.request,
    },
  );
}

/** What was refused; to whom the credentials belong matters only when they are refused. */
function subjectOf({ request, where }: Pick<Refusal, "request"> & Partial<Refusal>, status: number): string {
  return status === 401 && where !== undefined
    ? `${request}: ${where} did not accept the credentials`
    : request;
}

function concealDetails(details: StatusDetails, conceal: (text: string) => string): StatusDetails {
  const { causes, ...rest } = details;
  if (causes === undefined) return details;
  const concealed = causes.map((cause) =>
    cause.message === undefined ? cause : { ...cause, message: conceal(cause.message) },
  );
  return { ...rest, causes: concealed };
}

function parseStatus(body: string): StatusObject | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return isStatus(parsed) ? parsed : undefined;
  } catch {
    // Not JSON: a plain-text answer.
    return undefined;
  }
}

function isStatus(value: unknown): value is StatusObject {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "Status";
}

/** Milliseconds. Only seconds are sent by API servers; a date is ignored. */
function readRetryAfter(details: StatusDetails | undefined, header: string | undefined): number | undefined {
  const seconds = header === undefined ? Number.NaN : Number(header);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
  return details?.retryAfterSeconds === undefined ? undefined : details.retryAfterSeconds * 1000;
}
