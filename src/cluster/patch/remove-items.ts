// Takes fields out of an object, by their paths.
// Used by server-side apply for what an applier no longer sets.
import { fieldOf, isJsonArray, isJsonObject, setField } from "../../schema/json-value.ts";
import type { JsonObject } from "../../schema/json-value.ts";
import type { FieldSet } from "./field-set.ts";
import { itemElement } from "./list-items.ts";
import { fieldElement } from "./path-element.ts";
import { formFor } from "./type-atom.ts";
import type { ListAtom, MapAtom, TypeNode } from "./type-atom.ts";

/**
 * The value without the fields of a set.
 *
 * **Guarantees**: a map or list that loses its last entry stays, empty, unless it is itself in the set.
 */
export function removeItems(node: TypeNode, value: unknown, removed: FieldSet): unknown {
  const form = formFor(node, value);
  if (form.form === "map") return isJsonObject(value) ? removeFromMap(form.map, value, removed) : null;
  if (form.form === "list") return isJsonArray(value) ? removeFromList(form.list, value, removed) : null;
  return value;
}

function removeFromMap(map: MapAtom, object: JsonObject, removed: FieldSet): JsonObject | null {
  if (map.atomic) return null;
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(object)) {
    const element = fieldElement(name);
    if (removed.hasMember(element)) continue;
    const below = removed.below(element);
    const child = fieldOf(object, name);
    setField(kept, name, below.isEmpty ? child : removeItems(map.typeOf(name), child, below));
  }
  return kept;
}

function removeFromList(list: ListAtom, items: readonly unknown[], removed: FieldSet): unknown {
  if (list.atomic) return null;
  const kept = items.flatMap((item) => {
    const identity = itemElement(list, item);
    if ("error" in identity) return [item];
    if (removed.hasMember(identity.element)) return [];
    const below = removed.below(identity.element);
    return [below.isEmpty ? item : removeItems(list.item, item, below)];
  });
  return kept;
}
