// Stored objects as JSON: what is stored is sent to watches first and then answered, and many watches send the same object.
import { BoundedMap } from "../../../collections/bounded-map.ts";

/** Texts of the objects that were sent last. */
const texts = new BoundedMap<object, string>(500);

/** An object as JSON. */
export function textOf(object: object): string {
  return texts.get(object) ?? JSON.stringify(object);
}

/** An object as JSON, which is remembered for those who ask next. */
export function keptTextOf(object: object): string {
  let text = texts.get(object);
  if (text === undefined) texts.set(object, (text = JSON.stringify(object)));
  return text;
}
