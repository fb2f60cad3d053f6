// The body of a write as an object of the request's type: kind and version checked, unknown fields taken out and reported.
import { apiVersionOf, parseApiVersion } from "../../../meta/resource-type.ts";
import type { ApiObject, Fields } from "../api-object.ts";
import { isBuiltinKind } from "../builtin/builtin-kinds.ts";
import { assertCustomKindOf, beginningOf, foreignKind, unrecognized } from "../stated-kind.ts";
import { badRequest, type StatusError } from "../status-error.ts";
import { repeatedFields, type TextFaults } from "../requests/repeated-fields.ts";
import type { ServedType } from "../served-type.ts";
import type { WriteObjectRequest } from "./object-request.ts";
import { withoutDuplicateOwners } from "./owner-references.ts";

/** What is known of a body besides its value. */
export interface BodyFacts {
  /** What occurs twice in its text; default nothing. */
  readonly textFaults?: TextFaults;
  /** The refusal of a value that cannot be read; default 400. */
  readonly unreadable?: (fault: string) => StatusError;
  /** Whether a patch has come to it, of which is said what is wrong and not what it should be; default false. */
  readonly patched?: boolean;
}

/**
 * Reads a body.
 *
 * **Errors**: 400 for another kind or version, for values of the wrong type, and with strict validation for unknown or
 * duplicate fields; 422 for another kind of a custom resource.
 */
export function toIncomingObject(
  request: WriteObjectRequest,
  body: Fields,
  { textFaults = repeatedFields([]), unreadable, patched = false }: BodyFacts = {},
): ApiObject {
  const { type, query, warnings } = request;
  const because = patched ? "" : `${cannotBe(type, body)}: `;
  assertGroupVersion(type, body);
  if (type.custom) assertNamed(request, body, "kind");
  else assertBuiltinKind(type, body, because);
  const { object, unknownFields, typeErrors } = type.shape(body);
  const [fault] = typeErrors;
  if (fault !== undefined) throw unreadable?.(fault) ?? badRequest(`${because}${fault}`);
  if (type.custom) assertNamed(request, body, "apiVersion");
  const unknown = knownToBeUnknown(type, body, unknownFields).map((path) => `unknown field "${path}"`);
  const refusals = [textFaults.refusal, ...unknown].filter((text) => text !== "");
  if (refusals.length > 0 && query.fieldValidation === "Strict") {
    throw badRequest(`${because}strict decoding error: ${refusals.join(", ")}`);
  }
  if (query.fieldValidation === "Warn") warnings.push(...textFaults.warnings, ...unknown);
  // Of a custom resource it is looked at behind all that is in it.
  if (type.custom) assertCustomKind(request, body);
  const owners = withoutDuplicateOwners(object.metadata, patched);
  // What is meant for another object is refused first.
  const { name, namespace = "" } = object.metadata;
  const isHere = request.namespace === "" || ["", request.namespace].includes(namespace);
  if (isHere && ["", name].includes(request.name)) warnings.push(...owners.warnings);
  return { ...object, metadata: owners.metadata };
}

/** Of another custom resource than that of the path, nothing is known but what metadata is. */
function knownToBeUnknown(type: ServedType, body: Fields, paths: readonly string[]): readonly string[] {
  const { kind, apiVersion } = saidIn(type, body);
  const isOther = type.custom && (kind !== type.kind || apiVersion !== apiVersionOf(type));
  return isOther ? paths.filter((path) => path.startsWith("metadata.")) : paths;
}

/** Refuses what names no group and version. */
function assertGroupVersion(type: ServedType, body: Fields): void {
  const { apiVersion } = saidIn(type, body);
  if (apiVersion.split("/").length > 2) {
    const shown = beginningOf(JSON.stringify(body));
    throw unrecognized(type.kind, `unexpected GroupVersion string: ${apiVersion} (${shown})`);
  }
}

/** Refuses a custom resource that does not say what it is. */
function assertNamed({ type }: WriteObjectRequest, body: Fields, field: "apiVersion" | "kind"): void {
  if (typeof body[field] === "string" && body[field] !== "") return;
  const title = field === "kind" ? "Kind" : field;
  const text = JSON.stringify(body);
  throw unrecognized(type.kind, `Object '${title}' is missing in '${text}' (${beginningOf(text)})`);
}

function assertCustomKind({ type, name }: WriteObjectRequest, body: Fields): void {
  const { apiVersion } = body;
  if (apiVersion !== apiVersionOf(type)) throw otherVersion(type, String(apiVersion));
  assertCustomKindOf(type, body, name);
}

function assertBuiltinKind(type: ServedType, body: Fields, because: string): void {
  const { kind, apiVersion } = saidIn(type, body);
  if (apiVersion === apiVersionOf(type) && kind === type.kind) return;
  if (kind === type.kind && isBuiltinKind(apiVersion, kind)) throw otherVersion(type, apiVersion);
  throw badRequest(`${because}${foreignKind(type, apiVersion, kind).text}`);
}

/** What a body says that it is; a built-in type need not say it. */
function saidIn(type: ServedType, body: Fields): { readonly kind: string; readonly apiVersion: string } {
  const said = (field: "apiVersion" | "kind", otherwise: string): string => {
    const { [field]: value } = body;
    if (typeof value === "string" && value !== "") return value;
    return type.custom ? "" : otherwise;
  };
  return { kind: said("kind", type.kind), apiVersion: said("apiVersion", apiVersionOf(type)) };
}

function cannotBe(type: ServedType, body: Fields): string {
  const { kind, apiVersion } = saidIn(type, body);
  return `${kind} in version "${parseApiVersion(apiVersion).version}" cannot be handled as a ${type.kind}`;
}

function otherVersion(type: ServedType, given: string): StatusError {
  return badRequest(
    `the API version in the data (${given}) does not match the expected API version (${apiVersionOf(type)})`,
  );
}
