// A set of field paths: what a field manager owns. Immutable from outside; encoded as `fieldsV1`.
// Made by the walkers over typed values, combined by server-side apply.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
import { BoundedMap } from "../../collections/bounded-map.ts";
import { fieldOf, isJsonObject, setField, type JsonObject } from "../../schema/json-value.ts";
import { compareElements, isPathElement } from "./path-element.ts";
import type { PathElement } from "./path-element.ts";

/** A set while paths are added to it. */
interface Draft {
  readonly members: Set<PathElement>;
  readonly children: Map<PathElement, Draft>;
}

function childOf(draft: Draft, element: PathElement): Draft {
  let child = draft.children.get(element);
  if (child === undefined) {
    child = { members: new Set(), children: new Map() };
    draft.children.set(element, child);
  }
  return child;
}

/** Sets by their `fieldsV1`, which is read again with the next write of its object, and that mostly comes soon. */
const known = new BoundedMap<object, FieldSet>(2_000);

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
  static readonly empty = new FieldSet(new Set(), new Map());

  /** The set of these paths; empty paths are ignored. */
  static of(paths: Iterable<readonly PathElement[]>): FieldSet {
    const root: Draft = { members: new Set(), children: new Map() };
    for (const path of paths) {
      let draft = root;
      for (const [index, element] of path.entries()) {
        if (index === path.length - 1) draft.members.add(element);
        else draft = childOf(draft, element);
      }
    }
    return FieldSet.#fromDraft(root);
  }

  static #fromDraft({ members, children }: Draft): FieldSet {
    return new FieldSet(
      members,
      new Map([...children].map(([element, child]) => [element, FieldSet.#fromDraft(child)])),
    );
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
    return this.#combine(
      other,
      (mine, theirs) => mine || theirs,
      (mine, theirs) => mine.union(theirs),
    );
  }

  intersection(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return FieldSet.empty;
    return this.#combine(
      other,
      (mine, theirs) => mine && theirs,
      (mine, theirs) => mine.intersection(theirs),
    );
  }

  /** Paths of this set that are not in the other; what lies below a path of the other stays. */
  difference(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return this;
    return this.#combine(
      other,
      (mine, theirs) => mine && !theirs,
      (mine, theirs) => mine.difference(theirs),
    );
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
    return this.difference(other).isEmpty && other.difference(this).isEmpty;
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
    if (this.#fieldsV1 === undefined) {
      this.#fieldsV1 = this.#encode();
      known.set(this.#fieldsV1, this);
    }
    return this.#fieldsV1;
  }

  #encode(): Record<string, unknown> {
    const fields: Record<string, unknown> = {};
    const elements = new Set([...this.#members, ...this.#children.keys()]);
    for (const element of [...elements].sort(compareElements)) {
      const below = this.below(element).#encode();
      const isOwnToo = this.hasMember(element) && Object.keys(below).length > 0;
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
    return new FieldSet(new Set(members), new Map([...children].filter(([, child]) => !child.isEmpty)));
  }

  #combine(
    other: FieldSet,
    keeps: (mine: boolean, theirs: boolean) => boolean,
    combine: (mine: FieldSet, theirs: FieldSet) => FieldSet,
  ): FieldSet {
    const steps = new Set([...this.#members, ...other.#members]);
    const parents = new Set([...this.#children.keys(), ...other.#children.keys()]);
    return FieldSet.build(
      [...steps].filter((element) => keeps(this.hasMember(element), other.hasMember(element))),
      [...parents].map((element) => [element, combine(this.below(element), other.below(element))] as const),
    );
  }
}
