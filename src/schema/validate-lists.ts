// Finds items that occur twice where a schema declares a set or a map list.
// Called after validate(), before the CEL rules; on update the server calls it only when the old object had no duplicates.
import { canonicalJson, isJsonArray, isJsonObject } from "./json-value.ts";
import { itemKey } from "./correlate-items.ts";
import { duplicateValue, noField } from "./status-cause.ts";
import type { StatusCause } from "./status-cause.ts";
import { additionalSchema, propertySchema } from "./structural-schema.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** One cause per item that repeats an earlier one. */
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
  const seen = new Set<string>();
  const causes: StatusCause[] = [];
  for (const [index, item] of list.entries()) {
    const identity = listType === "set" ? canonicalJson(item) : itemKey(keys, item);
    if (identity === undefined) continue;
    if (seen.has(identity)) {
      causes.push(duplicateValue(`${path}[${index}]`, listType === "set" ? item : keysOf(keys, item)));
    }
    seen.add(identity);
  }
  return causes;
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
