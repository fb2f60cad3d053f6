// What the API server answers when it refuses: metav1.Status with the real server's reasons and texts.
// Thrown anywhere below the router, which turns it into the HTTP answer.
import { OperatorError } from "../../ports/operator-error.ts";
import { joinCauses, type StatusCause } from "../../schema/status-cause.ts";

/** One cause of a refusal; those of a 422 name their field. */
export interface Cause {
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

/** Typed facts of a refusal. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly Cause[];
  readonly retryAfterSeconds?: number;
}

/** The wire form of a refusal or of a plain success. */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: { readonly continue?: string };
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** The resource that a refusal speaks about. */
export interface Subject {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

/** A refusal; the router answers with its status. */
export class StatusError extends OperatorError {
  readonly status: Status & { readonly code: number };
  /** Texts for the answer's Warning headers, that were found before the refusal. */
  warnings: readonly string[] = [];

  constructor(
    code: number,
    reason: string | undefined,
    message: string,
    details?: StatusDetails,
    metadata: Status["metadata"] = {},
  ) {
    super("API_STATUS", message, { fields: { code, reason } });
    this.status = {
      kind: "Status",
      apiVersion: "v1",
      metadata,
      status: "Failure",
      message,
      ...(reason === undefined ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    };
  }
}

/** Details that name an object, without the empty ones. */
export function detailsOf(subject: Subject, name: string, kind: string = subject.plural): StatusDetails {
  return {
    ...(name === "" ? {} : { name }),
    ...(subject.group === "" ? {} : { group: subject.group }),
    ...(kind === "" ? {} : { kind }),
  };
}

/** `plural.group "name"`, as messages name an object. */
function quotedName(subject: Subject, name: string): string {
  return `${subject.group === "" ? subject.plural : `${subject.plural}.${subject.group}`} "${name}"`;
}

/** 404: the object does not exist. */
export function notFound(subject: Subject, name: string): StatusError {
  return new StatusError(404, "NotFound", `${quotedName(subject, name)} not found`, detailsOf(subject, name));
}

/** 409: the name is taken. */
export function alreadyExists(subject: Subject, name: string, isBeingDeleted = false): StatusError {
  const start = isBeingDeleted ? "object is being deleted: " : "";
  const message = `${start}${quotedName(subject, name)} already exists`;
  return new StatusError(409, "AlreadyExists", message, detailsOf(subject, name));
}

/** 409 with the reason Conflict. */
export function conflict(subject: Subject, name: string, detail: string): StatusError {
  const message = `Operation cannot be fulfilled on ${quotedName(subject, name)}: ${detail}`;
  return new StatusError(409, "Conflict", message, detailsOf(subject, name));
}

/** 409: the resourceVersion sent is not the current one. */
export function modified(subject: Subject, name: string): StatusError {
  return conflict(
    subject,
    name,
    "the object has been modified; please apply your changes to the latest version and try again",
  );
}

/** 400: the request cannot be understood. */
export function badRequest(message: string): StatusError {
  return new StatusError(400, "BadRequest", message);
}

/** 500, in the words in which the real server answers what it did not expect. */
export function internalError(detail: string): StatusError {
  const details = { causes: [{ message: detail }] };
  return new StatusError(500, "InternalError", `Internal error occurred: ${detail}`, details);
}

/** 422: fields of an object are invalid. `kind` is the manifest's kind. */
export function invalidObject(
  group: string,
  kind: string,
  name: string,
  errors: readonly StatusCause[],
): StatusError {
  const text = joinCauses(errors);
  const details: StatusDetails = {
    ...(name === "" ? {} : { name }),
    ...(group === "" ? {} : { group }),
    ...(kind === "" ? {} : { kind }),
    causes: errors,
  };
  const qualified = group === "" ? kind : `${kind}.${group}`;
  return new StatusError(422, "Invalid", `${qualified} "${name}" is invalid: ${text}`, details);
}

/** 422: options of a request are invalid. */
export function invalidOptions(kind: string, errors: readonly StatusCause[]): StatusError {
  return invalidObject("meta.k8s.io", kind, "", errors);
}

/** 403 on one object. */
export function forbiddenObject(
  subject: Subject,
  name: string,
  detail: string,
  causes?: readonly Cause[],
): StatusError {
  return new StatusError(403, "Forbidden", `${quotedName(subject, name)} is forbidden: ${detail}`, {
    ...detailsOf(subject, name),
    ...(causes === undefined ? {} : { causes }),
  });
}

/** 403 on an object that is to be created; one without a name yet is called by what its name will begin with. */
export function forbiddenCreation(
  subject: Subject,
  { metadata }: { readonly metadata: { readonly name?: string; readonly generateName?: string } },
  detail: string,
  causes?: readonly Cause[],
): StatusError {
  const names = [metadata.name, metadata.generateName];
  const name = names.find((each) => each !== undefined && each !== "") ?? "Unknown";
  return forbiddenObject(subject, name, detail, causes);
}

/** 404 for a path of a served group-version that names no resource. */
export function unknownResource(): StatusError {
  return new StatusError(404, "NotFound", "the server could not find the requested resource", {});
}

/** 405. */
export function methodNotAllowed(): StatusError {
  return new StatusError(
    405,
    "MethodNotAllowed",
    "the server does not allow this method on the requested resource",
    {},
  );
}

/** 415 with the media types that would do. */
export function unsupportedMediaType(accepted?: readonly string[]): StatusError {
  if (accepted === undefined)
    return new StatusError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  return new StatusError(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );
}

/** 413. */
export function tooLarge(detail: string): StatusError {
  return new StatusError(413, "RequestEntityTooLarge", `Request entity too large: ${detail}`);
}

/** 410: the history no longer reaches back that far. */
export function expired(message: string, metadata: Status["metadata"] = {}): StatusError {
  return new StatusError(410, "Expired", message, undefined, metadata);
}
