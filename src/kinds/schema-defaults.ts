// Defaults as the server applies them: into every object that is there, at any depth.
import type { Json } from "../meta/object.ts";
import type { StructuralSchema } from "./builtin/json-of.ts";

/** The schema with its default made complete: the server holds a default to the rules before it fills it in. */
export function completeDefault(schema: StructuralSchema): StructuralSchema {
  return schema.default === undefined ? schema : { ...schema, default: withDefaults(schema.default, schema) };
}

/** The value with the defaults of the schema filled in. */
export function withDefaults(value: Json, schema: StructuralSchema): Json {
  const { properties = {}, additionalProperties, items } = schema;
  if (Array.isArray(value)) {
    return items === undefined ? value : (value as readonly Json[]).map((item) => withDefaults(item, items));
  }
  if (typeof value !== "object" || value === null) return value;
  const object = value as Readonly<Record<string, Json>>;
  const filled: Record<string, Json> = { ...object };
  for (const [name, field] of Object.entries(properties)) {
    const given = object[name] ?? field.default;
    if (given !== undefined) filled[name] = withDefaults(given, field);
  }
  if (typeof additionalProperties !== "object") return filled;
  for (const [name, field] of Object.entries(object))
    filled[name] = withDefaults(field, additionalProperties);
  return filled;
}
