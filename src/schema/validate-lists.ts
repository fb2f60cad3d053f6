// Finds items that occur twice where a schema declares a set or a map list.
// Called after validate(), before the CEL rules; on update the server calls it only when the old object had no duplicates.
import { canonicalJson, isJsonArray, isJsonObject } from "./json-value.ts";
import { duplicateValue, invalidValue, noField } from "./status-cause.ts";
import type { StatusCause } from "./status-cause.ts";
import { additionalSchema, propertySchema } from "./structural-schema.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** One cause per item that occurs more than once, and for a list whose items can have no keys. */
export function validateLists(schema: StructuralSchema, value: unknown, path = ""): readonly StatusCause[] {
  if (isJsonArray(value)) {
    const { items } = schema;
    const inside =
      items === undefined
        ? []
        : value.flatMap((item, index) => validateLists(items, item, `${path}[${index}]`));
    return [...duplicates(schema, value, path === "" ? noField : path), ...inside];
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const declared = propertySchema(schema, name);
    const childSchema = declared ?? additionalSchema(schema);
    if (childSchema === undefined) return [];
    const step = declared === undefined ? `[${name}]` : path === "" ? name : `.${name}`;
    return validateLists(childSchema, child, `${path}${step}`);
  });
}

function duplicates(schema: StructuralSchema, list: readonly unknown[], path: string): StatusCause[] {
  const listType = schema["x-kubernetes-list-type"];
  if (listType !== "set" && listType !== "map") return [];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const stray = listType === "map" ? list.findIndex((item) => item !== null && !isJsonObject(item)) : -1;
  if (stray >= 0) {
    const detail = "must be an object for an array of list-type map";
    return [invalidValue(`${path}[${stray}]`, list[stray], detail)];
  }
  const seen = new Map<string, number>();
  return list.flatMap((item, index) => {
    // What is nothing has no keys.
    const identity = listType === "set" ? canonicalJson(item) : canonicalJson(keysOf(keys, item));
    const times = (seen.get(identity) ?? 0) + 1;
    seen.set(identity, times);
    // However often it occurs, it is said once.
    if (times !== 2) return [];
    return [duplicateValue(`${path}[${index}]`, listType === "set" ? item : keysOf(keys, item))];
  });
}

function keysOf(keys: readonly string[], item: unknown): Record<string, unknown> {
  const object = isJsonObject(item) ? item : {};
  return Object.fromEntries(
    [...keys]
      .sort()
      .filter((key) => Object.hasOwn(object, key))
      .map((key) => [key, object[key]]),
  );
}
