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
  compare(node, { before, after, at: undefined }, changes);
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

/** Where the walk is: most places that it comes to are not written down. */
interface Place {
  readonly element: PathElement;
  readonly above: Place | undefined;
  readonly depth: number;
}

type Changes = Readonly<Record<"added" | "modified" | "removed", (readonly PathElement[])[]>>;

interface Pair {
  readonly before: unknown;
  readonly after: unknown;
  /** Undefined: the value as a whole. */
  readonly at: Place | undefined;
}

function below(above: Place | undefined, element: PathElement): Place {
  return { element, above, depth: (above?.depth ?? 0) + 1 };
}

function pathTo(at: Place | undefined): readonly PathElement[] {
  const path: PathElement[] = [];
  for (let place = at; place !== undefined; place = place.above) path.push(place.element);
  return path.reverse();
}

function compare(node: TypeNode, pair: Pair, changes: Changes): void {
  const { before, after } = pair;
  if (before === after || ((pair.at?.depth ?? 0) <= deepestLook && equal(before, after))) return;
  const form = formFor(node, after === undefined ? before : after);
  const formBefore = before === undefined ? form : formFor(node, before);
  // An open type may change its form, from a map to a scalar for instance: both forms are then walked.
  const forms = form.form === formBefore.form ? [form] : [formBefore, form];
  const wasLeaf = forms.map((each) => compareForm(each, pair, changes)).includes(true);
  if (wasLeaf) return;
  if (before === undefined) changes.added.push(pathTo(pair.at));
  else if (after === undefined) changes.removed.push(pathTo(pair.at));
}

/** Compares in one form; true when the place was treated as a leaf. */
function compareForm(form: Form, pair: Pair, changes: Changes): boolean {
  if (form.form === "map") return compareMaps(form.map, pair, changes);
  if (form.form === "list") return compareLists(form.list, pair, changes);
  return compareLeaves(pair, changes);
}

function compareLeaves({ before, after, at }: Pair, changes: Changes): true {
  if (before === undefined) changes.added.push(pathTo(at));
  else if (after === undefined) changes.removed.push(pathTo(at));
  else if (!equal(before, after)) changes.modified.push(pathTo(at));
  return true;
}

function compareMaps(map: MapAtom, pair: Pair, changes: Changes): boolean {
  const before = isJsonObject(pair.before) ? pair.before : {};
  const after = isJsonObject(pair.after) ? pair.after : {};
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  // Two empty or absent maps are a leaf, so that null and empty stay different things.
  if (map.atomic || names.size === 0) return compareLeaves(pair, changes);
  for (const name of names) {
    const [old, next] = [fieldOf(before, name), fieldOf(after, name)];
    if (old !== next) {
      const at = below(pair.at, fieldElement(name));
      compare(map.typeOf(name), { before: old, after: next, at }, changes);
    }
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
      below(pair.at, element),
      changes,
    );
  }
  return false;
}

/** Items with the same key; several of them are looked at as one. */
function compareItems(
  list: ListAtom,
  { olds, news }: { readonly olds: readonly unknown[]; readonly news: readonly unknown[] },
  at: Place,
  changes: Changes,
): void {
  if (olds.length <= 1 && news.length <= 1) {
    compare(list.item, { before: olds[0], after: news[0], at }, changes);
  } else if (olds.length >= 2 && news.length >= 2) {
    if (!equal(olds, news)) changes.modified.push(pathTo(at));
  } else if (olds.length >= 2) {
    compare(list.item, { before: undefined, after: news[0], at }, changes);
    changes.removed.push(pathTo(at));
  } else {
    compare(list.item, { before: olds[0], after: undefined, at }, changes);
    changes.added.push(pathTo(at));
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
