// Lays an applied manifest over the live object: maps by field, map lists and sets by item, everything else replaced.
// The first step of server-side apply. The order of list items is the manifest's, with the live object's own items kept in place.
import { fieldOf, isJsonArray, isJsonObject, setField } from "../../schema/json-value.ts";
import { itemElement } from "./list-items.ts";
import type { PathElement } from "./path-element.ts";
import { formFor } from "./type-atom.ts";
import type { ListAtom, MapAtom, TypeNode } from "./type-atom.ts";

/** The live value with the applied one merged into it; undefined when both are empty of content. */
export function mergeValues(node: TypeNode, live: unknown, applied: unknown): unknown {
  if (applied === undefined) return live;
  if (live === undefined) return applied;
  const form = formFor(node, applied);
  if (form.form !== formFor(node, live).form && live !== null && applied !== null) return applied;
  if (form.form === "map") return mergeMaps(form.map, live, applied);
  if (form.form === "list") return mergeLists(form.list, live, applied);
  return applied;
}

function mergeMaps(map: MapAtom, live: unknown, applied: unknown): unknown {
  const base = isJsonObject(live) ? live : {};
  const top = isJsonObject(applied) ? applied : {};
  const names = new Set([...Object.keys(base), ...Object.keys(top)]);
  if (map.atomic || names.size === 0) return applied;
  const merged: Record<string, unknown> = {};
  for (const name of names) {
    setField(merged, name, mergeValues(map.typeOf(name), fieldOf(base, name), fieldOf(top, name)));
  }
  return merged;
}

function mergeLists(list: ListAtom, live: unknown, applied: unknown): unknown {
  const base = isJsonArray(live) ? live : [];
  const top = isJsonArray(applied) ? applied : [];
  if (list.atomic || (base.length === 0 && top.length === 0)) return applied;
  return mergeItems(list, index(list, base), index(list, top));
}

interface Indexed {
  readonly items: readonly { readonly element: PathElement; readonly item: unknown }[];
  readonly byElement: ReadonlyMap<PathElement, unknown>;
}

function index(list: ListAtom, values: readonly unknown[]): Indexed {
  const items = values.flatMap((item) => {
    const identity = itemElement(list, item);
    return "element" in identity ? [{ element: identity.element, item }] : [];
  });
  const byElement = new Map<PathElement, unknown>();
  for (const { element, item } of items) {
    // Of items that occur twice none is merged with the applied one.
    byElement.set(element, byElement.has(element) ? null : item);
  }
  return { items, byElement };
}

/**
 * Walks both lists side by side. Items that only the live list has stay behind their predecessor;
 * shared items come in the applied order.
 */
function mergeItems(list: ListAtom, live: Indexed, applied: Indexed): unknown[] {
  const merged: unknown[] = [];
  const done = new Set<PathElement>();
  const shared = applied.items.map(({ element }) => element).filter((each) => live.byElement.has(each));
  let nextShared = shared.shift();
  let left = 0;
  let right = 0;
  const take = (element: PathElement): void => {
    done.add(element);
    merged.push(mergeValues(list.item, live.byElement.get(element), applied.byElement.get(element)));
    right += 1;
    if (nextShared === element) nextShared = shared.shift();
  };
  while (left < live.items.length || right < applied.items.length) {
    const mine = live.items[left];
    const theirs = applied.items[right];
    if (mine !== undefined && theirs !== undefined) {
      if (mine.element === theirs.element) {
        take(mine.element);
        left += 1;
        continue;
      }
      if (applied.byElement.has(mine.element) && nextShared !== undefined && nextShared !== mine.element) {
        // A shared item, but not the next one in the applied order: it comes when its turn is.
        left += 1;
        continue;
      }
    }
    if (mine !== undefined) {
      if (!applied.byElement.has(mine.element)) {
        merged.push(mine.item);
        left += 1;
        continue;
      }
      if (done.has(mine.element)) left += 1;
    }
    if (theirs !== undefined) take(theirs.element);
  }
  return merged;
}
