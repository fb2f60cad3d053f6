// What an object calls itself, where that is not what it should be.
import { parseApiVersion } from "../../meta/resource-type.ts";
import { invalidValue } from "../../schema/status-cause.ts";
import { isFields, type Fields } from "./api-object.ts";
import { isBuiltinKind } from "./builtin/builtin-kinds.ts";
import { goTypeName } from "./go-words.ts";
import type { ServedType } from "./served-type.ts";
import { badRequest, invalidObject, type StatusError } from "./status-error.ts";

/** A custom resource is of the kind of its path. Errors: 422. */
export function assertCustomKindOf(
  type: ServedType,
  { kind, metadata }: Fields,
  otherwiseName: string,
): void {
  if (kind === type.kind) return;
  const named = isFields(metadata) && typeof metadata["name"] === "string" ? metadata["name"] : otherwiseName;
  const error = invalidValue("kind", kind, `must be ${type.kind}`);
  throw invalidObject(type.group, String(kind), named, [error]);
}

/** Why what calls itself otherwise is no object of a built-in type; whether the kind is known at all. */
export function foreignKind(
  type: ServedType,
  apiVersion: string,
  kind: string,
): { readonly isKnown: boolean; readonly text: string } {
  if (!isBuiltinKind(apiVersion, kind)) {
    const text = `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`;
    return { isKnown: false, text };
  }
  const from = `${parseApiVersion(apiVersion).version}.${kind}`;
  const to = `${type.group === "" ? "core" : (type.group.split(".")[0] ?? "")}.${type.kind}`;
  return { isKnown: true, text: `converting (${from}) to (${to}): unknown conversion` };
}

/** Why it cannot be read what a JSON value calls itself; undefined: it can, or it does not say. */
export function statedKindFault(value: unknown): string | undefined {
  if (!isFields(value)) return noObjectFault(value);
  for (const field of ["apiVersion", "kind"]) {
    const stated = value[field] ?? "";
    if (typeof stated !== "string") return kindless(stated, `struct field .${field} of type string`);
  }
  return undefined;
}

/** The same of a value that is no object. */
export function noObjectFault(value: unknown): string {
  return kindless(
    value,
    String.raw`value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`,
  );
}

function kindless(found: unknown, target: string): string {
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${goTypeName(found)} into Go ${target}`;
}

/** The refusal of what cannot be read as an object of a kind. */
export function unrecognized(kind: string, detail: string): StatusError {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${detail}`);
}

/** The first characters of a text, as messages quote it. */
export function beginningOf(text: string, length = 30): string {
  return text.length > length ? `${text.slice(0, length)} ...` : text;
}
