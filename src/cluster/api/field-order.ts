// The order in which the fields of an object stand in its JSON: programs that keep such a text, or a hash of it, see that. The real
// server writes built-in types as their structs declare them, and maps, of which custom resources consist, by their keys. Keys that are
// whole numbers stand first here, as JavaScript puts them.
import { additionalSchema, propertySchema, type StructuralSchema } from "../../schema/structural-schema.ts";
import { isFields, type ApiObject, type Fields } from "./api-object.ts";
import { fieldRanksOf } from "./builtin/builtin-schemas.ts";
import type { ServedType } from "./served-type.ts";

/** An object of a type in that order; the same one where it stands so already. */
export function inFieldOrder(
  { custom, schema }: Pick<ServedType, "custom" | "schema">,
  object: ApiObject,
): ApiObject {
  return (custom ? byKeys(object) : asDeclared(object, schema)) as ApiObject;
}

/** JSON with all fields in the order of their keys; the same where they stand so already. */
export function byKeys(value: unknown): unknown {
  if (Array.isArray(value)) return eachOf(value, byKeys);
  return isFields(value) ? arranged(value, undefined, (_, each) => byKeys(each)) : value;
}

/** A value of a built-in type. What has neither fields nor values of a type is as it was sent: the content of extensions. */
function asDeclared(value: unknown, schema: StructuralSchema): unknown {
  if (Array.isArray(value)) return eachOf(value, (each) => asDeclared(each, schema.items ?? {}));
  if (!isFields(value)) return value;
  if (schema.properties !== undefined) {
    const become = (name: string, each: unknown): unknown =>
      asDeclared(each, propertySchema(schema, name) ?? {});
    return arranged(value, fieldRanksOf(schema), become);
  }
  const values = additionalSchema(schema);
  return values === undefined ? value : arranged(value, undefined, (_, each) => asDeclared(each, values));
}

function eachOf(list: readonly unknown[], become: (each: unknown) => unknown): readonly unknown[] {
  const items = list.map(become);
  return items.every((each, index) => each === list[index]) ? list : items;
}

/** Fields by their ranks, or by their names; the same where nothing changes. */
function arranged(
  fields: Fields,
  ranks: ReadonlyMap<string, number> | undefined,
  become: (name: string, value: unknown) => unknown,
): Fields {
  const rankOf = (name: string): number => ranks?.get(name) ?? Number.MAX_SAFE_INTEGER;
  const compare = (one: string, other: string): number =>
    ranks === undefined ? (one < other ? -1 : 1) : rankOf(one) - rankOf(other);
  let isSame = true;
  let before: string | undefined;
  const entries = Object.entries(fields).map(([name, value]) => {
    const next = become(name, value);
    if (next !== value || (before !== undefined && compare(before, name) > 0)) isSame = false;
    before = name;
    return [name, next] as const;
  });
  return isSame ? fields : Object.fromEntries(entries.toSorted(([one], [other]) => compare(one, other)));
}
