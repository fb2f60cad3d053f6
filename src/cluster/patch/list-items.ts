// By what an item of a set or map list is known, and what is wrong with items that cannot be known.
// Read by every walker over typed values.
import { fieldOf, isJsonArray, isJsonObject, setField } from "../../schema/json-value.ts";
import { propertySchema } from "../../schema/structural-schema.ts";
import type { ListAtom } from "./type-atom.ts";
import { keyElement, valueElement } from "./path-element.ts";
import type { PathElement } from "./path-element.ts";

/** An item's step, or why it has none. */
export type ItemElement = { readonly element: PathElement } | { readonly error: string };

/** The step to an item of a list that is owned item by item. */
export function itemElement(list: ListAtom, item: unknown): ItemElement {
  return list.keys.length === 0 ? setElement(item) : mapElement(list, item);
}

/** The items of a list with their steps; items without one are left out. */
export function identifiedItems(
  list: ListAtom,
  items: readonly unknown[],
): readonly { readonly element: PathElement; readonly item: unknown }[] {
  return items.flatMap((item) => {
    const identity = itemElement(list, item);
    return "element" in identity ? [{ element: identity.element, item }] : [];
  });
}

function setElement(item: unknown): ItemElement {
  if (isJsonObject(item)) return { error: "associative list without keys has an element that's a map type" };
  if (isJsonArray(item)) return { error: "not supported: associative list with lists as elements" };
  if (item === null || item === undefined) {
    return { error: "associative list without keys has an element that's an explicit null" };
  }
  return { element: valueElement(item) };
}

function mapElement(list: ListAtom, item: unknown): ItemElement {
  if (item === null || item === undefined) {
    return { error: "associative list with keys may not have a null element" };
  }
  if (!isJsonObject(item)) return { error: "associative list with keys may not have non-map elements" };
  const keys: Record<string, unknown> = {};
  for (const key of list.keys) {
    const byDefault = list.item === undefined ? undefined : propertySchema(list.item.schema, key)?.default;
    const value = fieldOf(item, key) ?? byDefault;
    if (value !== undefined) setField(keys, key, value);
  }
  // A part of the keys is enough; the others then count as absent.
  if (Object.keys(keys).length === 0) {
    const names = list.keys.map((key) => JSON.stringify(key)).join(" ");
    return {
      error: `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    };
  }
  return { element: keyElement(keys) };
}
