// Of a value that was written for one schema, what another accepts: how an object is shown that could not be converted. Pure.
import type { Json } from "../../meta/object.ts";
import type { StructuralSchema } from "../builtin/json-of.ts";
import { withDefaults } from "../schema-defaults.ts";

type Fields = Readonly<Record<string, Json>>;

/** The fields that the schema knows by name and type, with its defaults. */
export function fittingPart(object: Fields, schema: StructuralSchema): Fields {
  const known = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    const fitting = value === undefined ? undefined : fittingValue(value, field);
    return fitting === undefined ? [] : [[name, fitting] as const];
  });
  return withDefaults(Object.fromEntries(known), schema) as Fields;
}

function fittingValue(value: Json, schema: StructuralSchema): Json | undefined {
  const { type, items, additionalProperties, enum: allowed } = schema;
  if (allowed !== undefined && !(allowed as readonly unknown[]).includes(value)) return undefined;
  if (Array.isArray(value)) {
    if (type !== "array") return undefined;
    return (value as readonly Json[]).flatMap((item) => fittingValue(item, items ?? {}) ?? []);
  }
  if (typeof value === "object" && value !== null) {
    if (type !== "object") return undefined;
    if (typeof additionalProperties !== "object") return fittingPart(value as Fields, schema);
    const values = Object.entries(value).flatMap(([name, each]) => {
      const fitting = fittingValue(each, additionalProperties);
      return fitting === undefined ? [] : [[name, fitting] as const];
    });
    return Object.fromEntries(values);
  }
  if (type === "integer") return Number.isInteger(value) ? value : undefined;
  return typeof value === type ? value : undefined;
}
