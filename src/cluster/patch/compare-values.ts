// What changed from one object to another, field by field.
// Read by ownership: whoever changes a field owns it, and whoever owned it loses it.
import { equal, fieldOf, isJsonArray, isJsonObject } from "../../schema/json-value.ts";
import { FieldSet } from "./field-set.ts";
import { identifiedItems } from "./list-items.ts";
import { fieldElement } from "./path-element.ts";
import type { PathElement } from "./path-element.ts";
import { formFor } from "./type-atom.ts";
import type { Form, ListAtom, MapAtom, TypeNode } from "./type-atom.ts";

/** The fields by what happened to them. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Compares two values of a type; undefined stands for an absent one. */
export function compareValues(node: TypeNode, before: unknown, after: unknown): Comparison {
  const changes: Changes = { added: [], modified: [], removed: [] };
  compare(node, { before, after, path: [] }, changes);
  return {
    added: FieldSet.of(changes.added),
    modified: FieldSet.of(changes.modified),
    removed: FieldSet.of(changes.removed),
  };
}

/** The comparison without what lies at or below the paths of a set. */
export function excludeFields(comparison: Comparison, excluded: FieldSet): Comparison {
  return {
    added: comparison.added.recursiveDifference(excluded),
    modified: comparison.modified.recursiveDifference(excluded),
    removed: comparison.removed.recursiveDifference(excluded),
  };
}

/** Down to this level, what is equal is passed over whole. Below, each look would see everything once more. */
const deepestLook = 2;

type Path = readonly PathElement[];
type Changes = Readonly<Record<"added" | "modified" | "removed", Path[]>>;

interface Pair {
  readonly before: unknown;
  readonly after: unknown;
  readonly path: Path;
}

function compare(node: TypeNode, pair: Pair, changes: Changes): void {
  const { before, after } = pair;
  if (before === after || (pair.path.length <= deepestLook && equal(before, after))) return;
  const form = formFor(node, after === undefined ? before : after);
  const formBefore = before === undefined ? form : formFor(node, before);
  // An open type may change its form, from a map to a scalar for instance: both forms are then walked.
  const forms = form.form === formBefore.form ? [form] : [formBefore, form];
  const wasLeaf = forms.map((each) => compareForm(each, pair, changes)).includes(true);
  if (wasLeaf) return;
  if (before === undefined) changes.added.push(pair.path);
  else if (after === undefined) changes.removed.push(pair.path);
}

/** Compares in one form; true when the place was treated as a leaf. */
function compareForm(form: Form, pair: Pair, changes: Changes): boolean {
  if (form.form === "map") return compareMaps(form.map, pair, changes);
  if (form.form === "list") return compareLists(form.list, pair, changes);
  return compareLeaves(pair, changes);
}

function compareLeaves({ before, after, path }: Pair, changes: Changes): true {
  if (before === undefined) changes.added.push(path);
  else if (after === undefined) changes.removed.push(path);
  else if (!equal(before, after)) changes.modified.push(path);
  return true;
}

function compareMaps(map: MapAtom, pair: Pair, changes: Changes): boolean {
  const before = isJsonObject(pair.before) ? pair.before : {};
  const after = isJsonObject(pair.after) ? pair.after : {};
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  // Two empty or absent maps are a leaf, so that null and empty stay different things.
  if (map.atomic || names.size === 0) return compareLeaves(pair, changes);
  for (const name of names) {
    const path = [...pair.path, fieldElement(name)];
    const child: Pair = { before: fieldOf(before, name), after: fieldOf(after, name), path };
    compare(map.typeOf(name), child, changes);
  }
  return false;
}

function compareLists(list: ListAtom, pair: Pair, changes: Changes): boolean {
  const before = isJsonArray(pair.before) ? pair.before : [];
  const after = isJsonArray(pair.after) ? pair.after : [];
  if (list.atomic || (before.length === 0 && after.length === 0)) return compareLeaves(pair, changes);
  const olds = group(list, before);
  const news = group(list, after);
  for (const element of new Set([...olds.keys(), ...news.keys()])) {
    compareItems(
      list,
      { olds: olds.get(element) ?? [], news: news.get(element) ?? [] },
      [...pair.path, element],
      changes,
    );
  }
  return false;
}

/** Items with the same key; several of them are looked at as one. */
function compareItems(
  list: ListAtom,
  { olds, news }: { readonly olds: readonly unknown[]; readonly news: readonly unknown[] },
  path: Path,
  changes: Changes,
): void {
  if (olds.length <= 1 && news.length <= 1) {
    compare(list.item, { before: olds[0], after: news[0], path }, changes);
  } else if (olds.length >= 2 && news.length >= 2) {
    if (!equal(olds, news)) changes.modified.push(path);
  } else if (olds.length >= 2) {
    compare(list.item, { before: undefined, after: news[0], path }, changes);
    changes.removed.push(path);
  } else {
    compare(list.item, { before: olds[0], after: undefined, path }, changes);
    changes.added.push(path);
  }
}

function group(list: ListAtom, items: readonly unknown[]): ReadonlyMap<PathElement, unknown[]> {
  const groups = new Map<PathElement, unknown[]>();
  for (const { element, item } of identifiedItems(list, items)) {
    const known = groups.get(element);
    if (known === undefined) groups.set(element, [item]);
    else known.push(item);
  }
  return groups;
}
