// The fields that a manifest sets: what its applier will own.
// Fed with applied manifests and intermediate results of server-side apply.
import { fieldOf, isJsonArray, isJsonObject } from "../../schema/json-value.ts";
import { FieldSet } from "./field-set.ts";
import { identifiedItems } from "./list-items.ts";
import { fieldElement } from "./path-element.ts";
import type { PathElement } from "./path-element.ts";
import { formFor } from "./type-atom.ts";
import type { ListAtom, MapAtom, TypeNode } from "./type-atom.ts";

/** The paths of a value: scalars, whole atomic lists and maps, items of sets and map lists, empty objects. */
export function toFieldSet(node: TypeNode, value: unknown): FieldSet {
  return walk(node, value).below;
}

/** What a value contributes: whether its own path is in the set, and what is in the set below it. */
interface Contribution {
  readonly own: boolean;
  readonly below: FieldSet;
}

const ownPath: Contribution = { own: true, below: FieldSet.empty };
const nothing: Contribution = { own: false, below: FieldSet.empty };

function walk(node: TypeNode, value: unknown): Contribution {
  const form = formFor(node, value);
  if (form.form === "map") return walkMap(form.map, value);
  if (form.form === "list") return walkList(form.list, value);
  return ownPath;
}

function walkMap(map: MapAtom, value: unknown): Contribution {
  if (map.atomic) return ownPath;
  if (!isJsonObject(value)) return nothing;
  const members: PathElement[] = [];
  const children: (readonly [PathElement, FieldSet])[] = [];
  for (const name of Object.keys(value)) {
    const child = fieldOf(value, name);
    const element = fieldElement(name);
    const { own, below } = walk(map.typeOf(name), child);
    const isEmpty = child === null || (isJsonObject(child) && Object.keys(child).length === 0);
    // Entries of maps exist by themselves; fields of structs only through what is in them.
    if (own || isEmpty || !map.declares(name)) members.push(element);
    children.push([element, below]);
  }
  return { own: false, below: FieldSet.build(members, children) };
}

function walkList(list: ListAtom, value: unknown): Contribution {
  if (list.atomic) return ownPath;
  if (!isJsonArray(value)) return nothing;
  const items = identifiedItems(list, value);
  const counts = new Map<PathElement, number>();
  for (const { element } of items) counts.set(element, (counts.get(element) ?? 0) + 1);
  const children = items
    .filter(({ element }) => counts.get(element) === 1)
    .map(({ element, item }) => [element, walk(list.item, item).below] as const);
  return { own: false, below: FieldSet.build(counts.keys(), children) };
}
