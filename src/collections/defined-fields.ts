/** The same fields, each only where it has a value. */
export type DefinedFields<T extends object> = { [K in keyof T]?: Exclude<T[K], undefined> };

/**
 * Gives an object the fields that have a value, and returns it. Where many fields may be missing this costs less than as many copies of
 * objects with one field or none.
 */
export function addDefined<T extends object, TFields extends object>(
  to: T,
  fields: TFields,
): T & DefinedFields<TFields> {
  for (const name in fields) {
    if (fields[name] !== undefined) (to as Record<string, unknown>)[name] = fields[name];
  }
  return to;
}
