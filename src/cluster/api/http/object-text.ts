// Stored objects as JSON: what is stored is sent to watches first and then answered, and many watches send the same object.
import { BoundedMap } from "../../../collections/bounded-map.ts";

/** How many characters are kept, and how many texts of the usual size that is. */
const most = { characters: 16 * 1_048_576, texts: 500 };

/** Texts of the objects that were sent last. */
const texts = new BoundedMap<object, string>(most.characters, ({ length }) =>
  Math.max(length, most.characters / most.texts),
);

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
