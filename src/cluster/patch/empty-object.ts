// What an object of one of Kubernetes' own types has before anything is set: what the real server writes in any case.
// There those fields exist from the start, so the creator of a Pod owns what is in its spec, not the spec.
import type { JsonObject } from "../../schema/json-value.ts";
import type { StructuralSchema } from "../../schema/structural-schema.ts";

const zeros: Readonly<Record<string, unknown>> = { string: "", integer: 0, number: 0, boolean: false };

/**
 * The empty object of a built-in type: the fields that are always written, structs with theirs, the others with their zero.
 *
 * **Caveats**: for custom resources an empty object has nothing; use none.
 */
export function emptyObjectOf(
  schema: StructuralSchema,
  isAlwaysWritten: (schema: StructuralSchema, field: string) => boolean,
): JsonObject {
  const fields = Object.entries(schema.properties ?? {})
    .filter(([name]) => isAlwaysWritten(schema, name))
    .map(([name, field]): [string, unknown] => {
      if (field.properties !== undefined) return [name, emptyObjectOf(field, isAlwaysWritten)];
      const isText = field.format !== undefined && field.type === "string";
      return [name, isText ? null : (zeros[field.type ?? ""] ?? null)];
    });
  return Object.fromEntries(fields);
}
