// A set of field paths: what a field manager owns. Immutable from outside; encoded as `fieldsV1`.
// Made by the walkers over typed values, combined by server-side apply.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
import { BoundedMap } from "../../collections/bounded-map.ts";
import { fieldOf, isJsonObject, setField, type JsonObject } from "../../schema/json-value.ts";
import { compareElements, isPathElement } from "./path-element.ts";
import type { PathElement } from "./path-element.ts";

/** A set while paths are added to it. */
interface Draft {
  members: Set<PathElement> | undefined;
  children: Map<PathElement, Draft> | undefined;
}

function childOf(draft: Draft, element: PathElement): Draft {
  draft.children ??= new Map();
  let child = draft.children.get(element);
  if (child === undefined) draft.children.set(element, (child = { members: undefined, children: undefined }));
  return child;
}

const noMembers: ReadonlySet<PathElement> = new Set();
const noChildren: ReadonlyMap<PathElement, never> = new Map<PathElement, never>();

/** Sets by their `fieldsV1`, which is read again with the next write of its object, and that mostly comes soon. */
const known = new BoundedMap<object, FieldSet>(5_000);

/** Of a field that has no others below it. */
const nothingBelow: Readonly<Record<string, unknown>> = Object.freeze({});

/** A set of field paths. The root itself is never in it. */
export class FieldSet {
  readonly #members: ReadonlySet<PathElement>;
  readonly #children: ReadonlyMap<PathElement, FieldSet>;
  #fieldsV1: Readonly<Record<string, unknown>> | undefined;

  private constructor(members: ReadonlySet<PathElement>, children: ReadonlyMap<PathElement, FieldSet>) {
    this.#members = members;
    this.#children = children;
  }

  /** The empty set. */
  static readonly empty = new FieldSet(noMembers, noChildren);

  /** The set of these paths; empty paths are ignored. */
  static of(paths: Iterable<readonly PathElement[]>): FieldSet {
    const root: Draft = { members: undefined, children: undefined };
    for (const path of paths) {
      let draft = root;
      let index = 0;
      for (const element of path) {
        index += 1;
        if (index === path.length) (draft.members ??= new Set()).add(element);
        else draft = childOf(draft, element);
      }
    }
    return root.members === undefined && root.children === undefined
      ? FieldSet.empty
      : FieldSet.#fromDraft(root);
  }

  static #fromDraft({ members: own, children }: Draft): FieldSet {
    const members = own ?? noMembers;
    if (children === undefined) return new FieldSet(members, noChildren);
    const made = new Map<PathElement, FieldSet>();
    for (const [element, child] of children) made.set(element, FieldSet.#fromDraft(child));
    return new FieldSet(members, made);
  }

  /** The steps from here that are themselves in the set. */
  get members(): Iterable<PathElement> {
    return this.#members;
  }

  /** What is in the set below each step. */
  get children(): Iterable<[PathElement, FieldSet]> {
    return this.#children;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0 && this.#children.size === 0;
  }

  /** Whether a step from here is in the set itself. */
  hasMember(element: PathElement): boolean {
    return this.#members.has(element);
  }

  /** What is in the set below a step. */
  below(element: PathElement): FieldSet {
    return this.#children.get(element) ?? FieldSet.empty;
  }

  /** Whether a path is in the set itself. */
  has(path: readonly PathElement[]): boolean {
    const [first, ...rest] = path;
    if (first === undefined) return false;
    return rest.length === 0 ? this.hasMember(first) : this.below(first).has(rest);
  }

  union(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    if (this.isEmpty) return other;
    if (other.isEmpty || other === this) return this;
    if (this.isEmpty) return other;
    let members: Set<PathElement> | undefined;
    for (const element of other.#members) {
      if (!this.#members.has(element)) (members ??= new Set(this.#members)).add(element);
    }
    let children: Map<PathElement, FieldSet> | undefined;
    for (const [element, theirs] of other.#children) {
      const mine = this.#children.get(element);
      const both = mine === undefined ? theirs : mine.union(theirs);
      if (both !== mine) (children ??= new Map(this.#children)).set(element, both);
    }
    return this.#with(members, children);
  }

  intersection(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return FieldSet.empty;
    const children: (readonly [PathElement, FieldSet])[] = [];
    for (const [element, mine] of this.#children) {
      const theirs = other.#children.get(element);
      if (theirs !== undefined) children.push([element, mine.intersection(theirs)]);
    }
    return FieldSet.build(
      [...this.#members].filter((element) => other.#members.has(element)),
      children,
    );
  }

  /** Paths of this set that are not in the other; what lies below a path of the other stays. */
  difference(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return this;
    let members: Set<PathElement> | undefined;
    for (const element of other.#members) {
      if (this.#members.has(element)) (members ??= new Set(this.#members)).delete(element);
    }
    let children: Map<PathElement, FieldSet> | undefined;
    for (const [element, theirs] of other.#children) {
      const mine = this.#children.get(element);
      const left = mine?.difference(theirs);
      if (left === undefined || left === mine) continue;
      children ??= new Map(this.#children);
      if (left.isEmpty) children.delete(element);
      else children.set(element, left);
    }
    return this.#with(members, children);
  }

  /** The set with other parts; the set itself, and what it remembers, where no part is another one. */
  #with(
    members: ReadonlySet<PathElement> | undefined,
    children: ReadonlyMap<PathElement, FieldSet> | undefined,
  ): FieldSet {
    if (members === undefined && children === undefined) return this;
    return new FieldSet(members ?? this.#members, children ?? this.#children);
  }

  /** Paths of this set that are neither in the other nor below one of its paths. */
  recursiveDifference(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return this;
    const children = [...this.#children]
      .filter(([element]) => !other.hasMember(element))
      .map(([element, child]) => [element, child.recursiveDifference(other.below(element))] as const);
    return FieldSet.build(
      [...this.#members].filter((element) => !other.hasMember(element)),
      children,
    );
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true;
    if (this.#members.size !== other.#members.size || this.#children.size !== other.#children.size)
      return false;
    for (const element of this.#members) if (!other.#members.has(element)) return false;
    for (const [element, mine] of this.#children) {
      const theirs = other.#children.get(element);
      if (theirs === undefined || !mine.equals(theirs)) return false;
    }
    return true;
  }

  /** Every path of the set, in the server's order: the steps of a level first, then what is below them. */
  *paths(): Generator<readonly PathElement[]> {
    for (const element of [...this.#members].sort(compareElements)) yield [element];
    for (const element of [...this.#children.keys()].sort(compareElements)) {
      for (const rest of this.below(element).paths()) yield [element, ...rest];
    }
  }

  /** The set as `fieldsV1`, which is not to be changed. The inverse of {@link FieldSet.fromFieldsV1}. */
  toFieldsV1(): Readonly<Record<string, unknown>> {
    if (this.#fieldsV1 === undefined) known.set(this.#encode(), this);
    return this.#encode();
  }

  /** What sets have in common is encoded once. */
  #encode(): Readonly<Record<string, unknown>> {
    return (this.#fieldsV1 ??= this.#encodeAnew());
  }

  #encodeAnew(): Readonly<Record<string, unknown>> {
    const elements = [...this.#members];
    for (const element of this.#children.keys()) if (!this.#members.has(element)) elements.push(element);
    if (elements.length > 1) elements.sort(compareElements);
    const fields: Record<string, unknown> = {};
    for (const element of elements) {
      const child = this.#children.get(element);
      const below = child === undefined ? nothingBelow : child.#encode();
      const isOwnToo = child !== undefined && this.#members.has(element);
      setField(fields, element, isOwnToo ? { ".": {}, ...below } : below);
    }
    return fields;
  }

  /** The set in a `fieldsV1`, which is not to be changed afterwards; undefined when it is not one. */
  static fromFieldsV1(fields: unknown): FieldSet | undefined {
    if (!isJsonObject(fields)) return undefined;
    const found = known.get(fields);
    if (found !== undefined) return found;
    const decoded = FieldSet.#decode(fields);
    if (decoded !== undefined) known.set(fields, decoded);
    return decoded;
  }

  static #decode(fields: JsonObject): FieldSet | undefined {
    const members: PathElement[] = [];
    const children: (readonly [PathElement, FieldSet])[] = [];
    for (const name of Object.keys(fields)) {
      if (name === ".") continue;
      const below = fieldOf(fields, name);
      if (!isPathElement(name) || !isJsonObject(below)) return undefined;
      const child = FieldSet.#decode(below);
      if (child === undefined) return undefined;
      if (child.isEmpty || Object.hasOwn(below, ".")) members.push(name);
      children.push([name, child]);
    }
    return FieldSet.build(members, children);
  }

  /** A set from its first level; children that are empty fall out. */
  static build(
    members: Iterable<PathElement>,
    children: Iterable<readonly [PathElement, FieldSet]>,
  ): FieldSet {
    const own = new Set(members);
    let below: Map<PathElement, FieldSet> | undefined;
    for (const [element, child] of children) {
      if (!child.isEmpty) (below ??= new Map()).set(element, child);
    }
    if (own.size === 0 && below === undefined) return FieldSet.empty;
    return new FieldSet(own.size === 0 ? noMembers : own, below ?? noChildren);
  }
}
