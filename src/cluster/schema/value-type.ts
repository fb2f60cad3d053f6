// Whether a value has the type that a schema declares, and how messages call that type.
import { jsonTypeOf } from "./json-value.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** The type names that a schema accepts, as messages list them; empty when it accepts every type. */
export function typeNamesOf(schema: StructuralSchema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"] === true) return ["integer", "string"];
  return schema.type === undefined || schema.type === "" ? [] : [schema.type];
}

/** Whether a value's type is one that the schema accepts. */
export function matchesType(schema: StructuralSchema, value: unknown): boolean {
  const accepted = typeNamesOf(schema);
  const given = jsonTypeOf(value);
  return (
    accepted.length === 0 ||
    accepted.includes(given) ||
    (given === "integer" && accepted.includes("number")) ||
    (given === "null" && schema.nullable === true)
  );
}
