// The body of a write as an object of the request's type: kind and version checked, unknown fields taken out and reported.
import { apiVersionOf, parseApiVersion } from "../../../meta/resource-type.ts";
import { invalidValue } from "../../../schema/status-cause.ts";
import { isFields, type ApiObject, type Fields } from "../api-object.ts";
import { isBuiltinKind } from "../builtin/builtin-types.ts";
import { badRequest, invalidObject, type StatusError } from "../status-error.ts";
import type { WriteObjectRequest } from "./object-request.ts";
import { withoutDuplicateOwners } from "./owner-references.ts";

/** What is known of a body besides its value. */
export interface BodyFacts {
  /** Paths that occur twice in its text. */
  readonly duplicateFields?: readonly string[];
  /** The refusal of a value that cannot be read; default 400. */
  readonly unreadable?: (fault: string) => StatusError;
  /** Whether a patch has come to it; default false. */
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
  { duplicateFields = [], unreadable, patched = false }: BodyFacts = {},
): ApiObject {
  const { type, query, warnings } = request;
  checkKind(request, body);
  const cannot = `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}`;
  const { object, unknownFields, typeErrors } = type.shape(body);
  const [fault] = typeErrors;
  if (fault !== undefined) throw unreadable?.(fault) ?? badRequest(`${cannot}: ${fault}`);
  const faults = [
    ...duplicateFields.map((path) => `duplicate field "${path}"`),
    ...unknownFields.map((path) => `unknown field "${path}"`),
  ];
  if (faults.length > 0 && query.fieldValidation === "Strict") {
    throw badRequest(`${cannot}: strict decoding error: ${faults.join(", ")}`);
  }
  if (query.fieldValidation === "Warn") warnings.push(...faults);
  const owners = withoutDuplicateOwners(object.metadata, patched);
  // What is meant for another object is refused first.
  const { name, namespace = "" } = object.metadata;
  const isHere = request.namespace === "" || ["", request.namespace].includes(namespace);
  if (isHere && ["", name].includes(request.name)) warnings.push(...owners.warnings);
  return { ...object, metadata: owners.metadata };
}

function checkKind({ type, name }: WriteObjectRequest, body: Fields): void {
  const { apiVersion, kind, metadata } = body;
  const named = isFields(metadata) && typeof metadata["name"] === "string" ? metadata["name"] : name;
  if (type.custom) {
    for (const [field, title] of [
      ["kind", "Kind"],
      ["apiVersion", "apiVersion"],
    ] as const) {
      if (typeof body[field] === "string" && body[field] !== "") continue;
      const text = JSON.stringify(body);
      throw badRequest(
        `the object provided is unrecognized (must be of type ${type.kind}): Object '${title}' is missing in '${text}' (${text.length > 30 ? `${text.slice(0, 30)} ...` : text})`,
      );
    }
    if (apiVersion !== apiVersionOf(type)) {
      throw badRequest(
        `the API version in the data (${String(apiVersion)}) does not match the expected API version (${apiVersionOf(type)})`,
      );
    }
    if (kind !== type.kind) {
      const error = invalidValue("kind", kind, `must be ${type.kind}`);
      throw invalidObject(type.group, String(kind), named, [error]);
    }
    return;
  }
  const given = typeof kind === "string" && kind !== "" ? kind : type.kind;
  const givenVersion = typeof apiVersion === "string" && apiVersion !== "" ? apiVersion : apiVersionOf(type);
  if (givenVersion === apiVersionOf(type) && given === type.kind) return;
  const { version } = parseApiVersion(givenVersion);
  const cannot = (as: string): string => `${given} in version "${as}" cannot be handled as a ${type.kind}`;
  if (!isBuiltinKind(givenVersion, given)) {
    throw badRequest(
      `${cannot(version)}: no kind "${given}" is registered for version "${givenVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  if (given === type.kind) {
    throw badRequest(
      `the API version in the data (${givenVersion}) does not match the expected API version (${apiVersionOf(type)})`,
    );
  }
  throw badRequest(
    `${cannot(version)}: converting (${version}.${given}) to (${type.group === "" ? "core" : type.group}.${type.kind}): unknown conversion`,
  );
}
