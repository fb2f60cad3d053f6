// Adds the struct fields on the way to a path to a set of paths: removing `spec.image` may then also remove an empty `spec`.
// Used by server-side apply around the removal of fields.
import { FieldSet } from "./field-set.ts";
import { fieldNameOf } from "./path-element.ts";
import type { PathElement } from "./path-element.ts";
import { atomOf } from "./type-atom.ts";
import type { TypeNode } from "./type-atom.ts";

/** The set with every declared field that has something below it as a member. Entries of maps are not added. */
export function withNamedFields(node: TypeNode, set: FieldSet): FieldSet {
  const atom = atomOf(node);
  const members = new Set<PathElement>(set.members);
  const children: (readonly [PathElement, FieldSet])[] = [];
  for (const [element, below] of set.children) {
    const name = fieldNameOf(element);
    if (name !== undefined && atom.map?.declares(name) === true) members.add(element);
    const childNode = name === undefined ? atom.list?.item : atom.map?.typeOf(name);
    children.push([element, withNamedFields(childNode, below)]);
  }
  return FieldSet.build(members, children);
}
