// Removes what a structural schema does not declare, as the API server does with every custom resource it reads or writes.
// Fed with request bodies and stored objects; the paths it returns become warnings or, with strict field validation, errors.
import { fieldOf, isJsonArray, isJsonObject, setField } from "./json-value.ts";
import type { JsonObject } from "./json-value.ts";
import { additionalSchema, preservesUnknown, propertySchema } from "./structural-schema.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** What pruning made of a value. */
export interface PruneResult {
  readonly value: unknown;
  /** Paths of the removed fields, such as `spec.envs[1].colour`, sorted. */
  readonly pruned: readonly string[];
}

const resourceFields = ["apiVersion", "kind", "metadata"];

/**
 * The object without the fields that its schema does not know.
 *
 * **Guarantees**: the given object is not changed; `apiVersion`, `kind` and `metadata` of the root and of embedded
 * resources stay as they are; pruning twice changes nothing more.
 */
export function prune(schema: StructuralSchema, object: unknown): PruneResult {
  const pruned: string[] = [];
  const value = pruneValue(schema, object, { path: "", isResource: true, pruned });
  return { value, pruned: pruned.sort() };
}

interface Place {
  readonly path: string;
  readonly isResource: boolean;
  readonly pruned: string[];
}

function pruneValue(schema: StructuralSchema, value: unknown, place: Place): unknown {
  if (isJsonArray(value)) {
    const { items } = schema;
    // What a list preserves are unknown fields of its items.
    if (preservesUnknown(schema)) {
      if (items === undefined) return value;
      const open = { ...items, "x-kubernetes-preserve-unknown-fields": true };
      return value.map((item, index) => pruneValue(open, item, inside(place, `[${index}]`, items)));
    }
    return value.map((item, index) => pruneValue(items ?? {}, item, inside(place, `[${index}]`, items)));
  }
  return isJsonObject(value) ? pruneObject(schema, value, place) : value;
}

function pruneObject(schema: StructuralSchema, object: JsonObject, place: Place): JsonObject {
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(object)) {
    const child = fieldOf(object, name);
    const isResourceField =
      (place.isResource || schema["x-kubernetes-embedded-resource"] === true) &&
      resourceFields.includes(name);
    const childSchema = propertySchema(schema, name) ?? additionalSchema(schema);
    const childPath = place.path === "" ? name : `.${name}`;
    if (isResourceField || (childSchema === undefined && preservesUnknown(schema))) {
      setField(kept, name, child);
    } else if (childSchema === undefined) {
      place.pruned.push(`${place.path}${childPath}`);
    } else {
      setField(kept, name, pruneValue(childSchema, child, inside(place, childPath, childSchema)));
    }
  }
  return kept;
}

function inside(place: Place, step: string, schema: StructuralSchema | undefined): Place {
  return {
    path: `${place.path}${step}`,
    isResource: schema?.["x-kubernetes-embedded-resource"] === true,
    pruned: place.pruned,
  };
}
