// What an object of one of Kubernetes' own types has before anything is set: what the real server writes in any case.
// There those fields exist from the start, so the creator of a Pod owns what is in its spec, not the spec.
import { isJsonObject } from "../../schema/json-value.ts";
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

/**
 * An object with the structs of the empty one, also those that it was sent without: there they are written all the same, and
 * nobody loses them. The object itself where it has them all.
 */
export function withEmptyStructs(object: JsonObject, empty: JsonObject): JsonObject {
  let filled = object;
  for (const [name, struct] of Object.entries(empty)) {
    if (!isJsonObject(struct)) continue;
    const given = object[name] ?? undefined;
    const whole = isJsonObject(given) ? withEmptyStructs(given, struct) : (given ?? struct);
    if (whole !== given) filled = { ...filled, [name]: whole };
  }
  return filled;
}
