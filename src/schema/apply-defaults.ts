// Fills in the defaults of a structural schema, at any depth, and drops nulls where null is not allowed.
// Fed with pruned request bodies and with stored objects on their way out; pure.
import { fieldOf, isJsonArray, isJsonObject, setField } from "./json-value.ts";
import type { JsonObject } from "./json-value.ts";
import { additionalSchema, propertySchema } from "./structural-schema.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** Options of {@link applyDefaults}. */
export interface DefaultsOptions {
  /**
   * Keep nulls that have neither a default nor leave to be there; default false.
   * The server does so after server-side apply, where such a null is then a validation error.
   */
  readonly keepNulls?: boolean;
}

/**
 * The value with its schema's defaults.
 *
 * **Guarantees**: an absent field, or a null one that is not nullable, gets its default; a null without a default is
 * dropped; a present value is never changed; the given value is not changed; defaulting twice changes nothing more.
 * **Caveats**: defaults below an absent object without a default of its own are not applied, as on the server.
 */
export function applyDefaults(
  schema: StructuralSchema,
  value: unknown,
  options: DefaultsOptions = {},
): unknown {
  if (isJsonArray(value)) {
    const items = schema.items;
    if (items === undefined) return value;
    return value.map((item) => applyDefaults(items, replaceNull(items, item), options));
  }
  return isJsonObject(value) ? defaultObject(schema, value, options) : value;
}

function defaultObject(schema: StructuralSchema, object: JsonObject, options: DefaultsOptions): JsonObject {
  const filled: Record<string, unknown> = {};
  for (const name of Object.keys(object)) {
    const childSchema = propertySchema(schema, name) ?? additionalSchema(schema);
    const child = fieldOf(object, name);
    if (childSchema === undefined) {
      setField(filled, name, child);
      continue;
    }
    const replaced = replaceNull(childSchema, child);
    if (replaced === null && childSchema.nullable !== true && options.keepNulls !== true) continue;
    setField(filled, name, applyDefaults(childSchema, replaced, options));
  }
  for (const [name, childSchema] of Object.entries(schema.properties ?? {})) {
    if (Object.hasOwn(filled, name) || childSchema.default === undefined) continue;
    setField(filled, name, applyDefaults(childSchema, structuredClone(childSchema.default), options));
  }
  return filled;
}

function replaceNull(schema: StructuralSchema, value: unknown): unknown {
  if (value !== null || schema.nullable === true || schema.default === undefined) return value;
  return structuredClone(schema.default);
}
