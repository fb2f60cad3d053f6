// Whether a value has the type that a schema declares, and how messages call the two types.
// Read by the validator. Where a format is declared the server compares formats, which shows in its texts.
import { jsonTypeOf } from "./json-value.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** What a message says about a value of the wrong type. */
export interface TypeMismatch {
  readonly expected: string;
  readonly given: string;
}

const maxInt64 = 2 ** 63;

/** How a value's type differs from the declared one; undefined when it fits. */
export function typeMismatch(schema: StructuralSchema, value: unknown): TypeMismatch | undefined {
  const accepted = acceptedTypes(schema);
  const given = jsonTypeOf(value);
  const { format } = schema;
  if (accepted.length === 0 || (given === "null" && schema.nullable === true)) return undefined;
  const isText = given === "string" || given === "array";
  const isNumeric = accepted.includes("integer") || accepted.includes("number");
  if (format !== undefined && !isText && given !== "null") {
    const isHuge = typeof value === "number" && Math.abs(value) > maxInt64;
    if (fits(accepted, given) && !(format === "int64" && isHuge)) return undefined;
    return { expected: format, given: formatOf(value) };
  }
  if (format !== undefined && isText && !isNumeric) return undefined;
  return fits(accepted, given) ? undefined : { expected: accepted.join(","), given };
}

function acceptedTypes(schema: StructuralSchema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"] === true) return ["integer", "string"];
  return schema.type === undefined || schema.type === "" ? [] : [schema.type];
}

function fits(accepted: readonly string[], given: string): boolean {
  return accepted.includes(given) || (given === "integer" && accepted.includes("number"));
}

function formatOf(value: unknown): string {
  if (typeof value !== "number") return "";
  return Number.isInteger(value) && Math.abs(value) <= maxInt64 ? "int64" : "float64";
}
