// Applies a JSON merge patch (RFC 7396): objects merge, null deletes, everything else replaces.
// Fed with the body of an `application/merge-patch+json` request.
import { fieldOf, isJsonArray, isJsonObject, jsonTypeOf, setField } from "../../schema/json-value.ts";
import type { JsonObject } from "../../schema/json-value.ts";
import { badPatch } from "./patch-error.ts";

/**
 * The patch in a request's body.
 *
 * **Errors**: `PatchError` 400 for anything but an object, with the server's text.
 */
export function readMergePatch(body: unknown): JsonObject {
  if (isJsonObject(body)) return body;
  if (body === null || body === undefined) throw badPatch("Invalid JSON Patch");
  const kind = jsonTypeOf(body);
  const name = kind === "integer" ? "number" : kind === "boolean" ? "bool" : kind;
  throw badPatch(
    `error decoding patch: json: cannot unmarshal ${name} into Go value of type map[string]interface {}`,
  );
}

/**
 * The value with a merge patch applied; neither argument is changed.
 *
 * **Guarantees**: applying the same patch again changes nothing more, but for nulls in a list that took the place of an object: they
 * stay the first time, as on a real server.
 */
export function applyMergePatch(value: unknown, patch: unknown): unknown {
  if (!isJsonObject(value) || !isJsonObject(patch)) {
    // The real server's library also prunes what takes the place of something else, unless that is an object.
    return isJsonObject(value) ? patch : withoutNulls(patch);
  }
  const merged: Record<string, unknown> = {};
  const base = value;
  for (const name of Object.keys(base)) setField(merged, name, fieldOf(base, name));
  for (const name of Object.keys(patch)) {
    const change = fieldOf(patch, name);
    if (change === null) delete merged[name];
    else setField(merged, name, applyMergePatch(fieldOf(merged, name), change));
  }
  return merged;
}

/** A value without the nulls that objects in it hold, also those in lists. */
function withoutNulls(value: unknown): unknown {
  if (isJsonArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const field = fieldOf(value, name);
    if (field !== null) setField(kept, name, withoutNulls(field));
  }
  return kept;
}
