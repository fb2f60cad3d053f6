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
    const value = fieldOf(item, key) ?? keyDefault(list, key);
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

/** What a key is that an item leaves out: required ones of Kubernetes' own types are empty then. */
function keyDefault({ item, emptyKeys }: ListAtom, key: string): unknown {
  if (item === undefined) return undefined;
  const schema = propertySchema(item.schema, key);
  if (schema?.default !== undefined || !emptyKeys || item.schema.required?.includes(key) !== true) {
    return schema?.default;
  }
  return schema?.type === "integer" ? 0 : "";
}
