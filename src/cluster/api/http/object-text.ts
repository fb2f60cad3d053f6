// Stored objects as JSON: what is stored is told to watches first and then answered, and many watches tell of the same object.
import { BoundedMap } from "../../../collections/bounded-map.ts";

/** Texts of the objects that were told of last. */
const told = new BoundedMap<object, string>(500);

/** An object as JSON. */
export function textOf(object: object): string {
  return told.get(object) ?? JSON.stringify(object);
}

/** An object as JSON, which is remembered for those who ask next. */
export function keptTextOf(object: object): string {
  let text = told.get(object);
  if (text === undefined) told.set(object, (text = JSON.stringify(object)));
  return text;
}
