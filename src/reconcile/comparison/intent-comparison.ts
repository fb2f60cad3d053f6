// Where a live object differs from what we declare: only declared fields count, and values are compared by meaning.
// What the server adds (defaults), reorders (keyed lists) or rewrites (quantities) is no difference; nor is what others add, unless
// it is within a value that is declared as a whole (a selector, an element of a list without keys), which it makes another one.
import {
  elementKey,
  isWholeMap,
  listTypeAt,
  type ElementKeys,
  type ListRules,
  type ListType,
} from "./list-types.ts";
import { isSameQuantity, equalsAbsent, isDefaulted, isPlainField } from "./server-forms.ts";
import { createHash } from "node:crypto";
import { BoundedMap } from "../../collections/bounded-map.ts";

/** One declared field whose live value is another. */
export interface Difference {
  /** For people: `spec.template.spec.containers[web].image`. */
  readonly path: string;
  /** The live value; undefined when the field is absent. */
  readonly live: unknown;
  readonly declared: unknown;
}

const quantityMaps = new Set(["limits", "requests", "capacity", "hard", "podFixed", "max", "min", "default"]);
const quantityFields = new Set(["sizeLimit", "averageValue", "divisor"]);

/** A place in the object, as a chain to its root; turned into text only where there is something to tell. */
interface Place {
  readonly parent: Place | undefined;
  /** The field's name; `*` for an element of a list. */
  readonly name: string;
  /** For people, when it differs from the name. */
  readonly label?: string;
  readonly plain: boolean;
  /** Whether it is within a value that is declared as a whole. */
  readonly whole: boolean;
}

const root: Place = { parent: undefined, name: "", plain: false, whole: false };

/** All places at which the live value is not what is declared; empty when there is nothing to write. */
export function differencesOf(declared: unknown, live: unknown, rules: ListRules): readonly Difference[] {
  const found: Difference[] = [];
  compare(declared, live, root, rules, found);
  return found;
}

function compare(declared: unknown, live: unknown, at: Place, rules: ListRules, found: Difference[]): void {
  if (declared === live || declared === undefined || declared === null) return;
  if (live === undefined || live === null) {
    if (!equalsAbsent(declared, at.name, rules.builtin, at.plain)) differ(at, declared, undefined, found);
    return;
  }
  if (Array.isArray(declared)) {
    if (Array.isArray(live)) compareLists(declared, live, at, rules, found);
    else differ(at, declared, live, found);
    return;
  }
  if (typeof declared === "object") {
    if (typeof live !== "object" || Array.isArray(live)) {
      differ(at, declared, live, found);
      return;
    }
    const fields = declared as Readonly<Record<string, unknown>>;
    const liveFields = live as Readonly<Record<string, unknown>>;
    for (const name in fields) {
      const value = fields[name];
      const liveValue = liveFields[name];
      if (value === liveValue) continue;
      compare(value, liveValue, fieldAt(at, name, rules), rules, found);
    }
    if (at.whole) compareAdded(fields, liveFields, at, rules, found);
    return;
  }
  if (!isSameScalar(declared, live, at, rules)) differ(at, declared, live, found);
}

/** What is not declared within a value that is: what says something makes it another value. */
function compareAdded(
  declared: Readonly<Record<string, unknown>>,
  live: Readonly<Record<string, unknown>>,
  at: Place,
  rules: ListRules,
  found: Difference[],
): void {
  for (const name in live) {
    const value = live[name];
    if ((declared[name] ?? undefined) !== undefined) continue;
    if (equalsAbsent(value, name, rules.builtin, at.plain)) continue;
    if (rules.builtin && isDefaulted(name, value)) continue;
    differ(fieldAt(at, name, rules), undefined, value, found);
  }
}

function isSameScalar(declared: unknown, live: unknown, at: Place, rules: ListRules): boolean {
  if (!rules.builtin || at.plain) return false;
  // Only int-or-string fields hold both, and there a number in quotes is the number.
  if (typeof declared !== typeof live && String(declared) === String(live)) return true;
  const inQuantities = quantityFields.has(at.name) || quantityMaps.has(at.parent?.name ?? "");
  return inQuantities && isSameQuantity(declared, live);
}

function compareLists(
  declared: readonly unknown[],
  live: readonly unknown[],
  at: Place,
  rules: ListRules,
  found: Difference[],
): void {
  // Within a value that is declared as a whole, what its lists are like is of no account.
  const type: ListType = at.whole && !rules.builtin ? { type: "atomic" } : listTypeAt(pathOf(at), rules);
  switch (type.type) {
    case "map":
      compareByKey(declared, live, type, at, rules, found);
      if (type.ordered && !isInOrder(declared, live, type))
        differ(at, keysOf(declared, type), keysOf(live, type), found);
      return;
    case "set": {
      const there = new Set(live);
      const missing = declared.some((each) => !there.has(each));
      if (missing) differ(at, declared, live, found);
      return;
    }
    case "unordered": {
      const there = new Set(live);
      const same = declared.length === live.length && declared.every((each) => there.has(each));
      if (!same) differ(at, declared, live, found);
      return;
    }
    case "atomic":
      if (declared.length !== live.length) {
        differ(at, declared, live, found);
        return;
      }
      for (const [index, each] of declared.entries()) {
        if (isEmptied(each, live[index])) differ(elementAt(at, String(index)), each, live[index], found);
        else compare(each, live[index], { ...elementAt(at, String(index)), whole: true }, rules, found);
      }
      return;
  }
}

function compareByKey(
  declared: readonly unknown[],
  live: readonly unknown[],
  keys: ElementKeys,
  at: Place,
  rules: ListRules,
  found: Difference[],
): void {
  const liveByKey = new Map(live.map((each) => [elementKey(each, keys), each]));
  for (const each of declared) {
    const key = elementKey(each, keys);
    const place = elementAt(at, key ?? "?");
    const counterpart = key === undefined ? undefined : liveByKey.get(key);
    if (counterpart === undefined) differ(place, each, undefined, found);
    else compare(each, counterpart, place, rules, found);
  }
}

function isInOrder(declared: readonly unknown[], live: readonly unknown[], keys: ElementKeys): boolean {
  // Of two with one key the first counts.
  const places = new Map(
    keysOf(live, keys)
      .map((key, at) => [key, at] as const)
      .toReversed(),
  );
  const ours = keysOf(declared, keys).flatMap((key) => places.get(key) ?? []);
  return ours.every((place, index) => index === 0 || (ours[index - 1] ?? 0) < place);
}

function keysOf(list: readonly unknown[], keys: ElementKeys): (string | undefined)[] {
  return list.map((each) => elementKey(each, keys));
}

/** In a whole-valued list an empty element stands for "all" (a network rule): one that says more is another. */
function isEmptied(declared: unknown, live: unknown): boolean {
  const isEmptyMap = (value: unknown): boolean =>
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
  return isEmptyMap(declared) !== isEmptyMap(live) && (isEmptyMap(declared) || isEmptyMap(live));
}

function fieldAt(parent: Place, name: string, rules: ListRules): Place {
  const plain = parent.plain || isPlainField(name);
  const at = { parent, name, plain, whole: parent.whole };
  return at.whole || !isWholeMap(name, parent.name, rules, () => pathOf(at)) ? at : { ...at, whole: true };
}

function elementAt(parent: Place, label: string): Place {
  return { parent, name: "*", label, plain: parent.plain, whole: parent.whole };
}

function differ(at: Place, declared: unknown, live: unknown, found: Difference[]): void {
  found.push({ path: shownPathOf(at), live, declared });
}

function pathOf(at: Place): string {
  const { parent } = at;
  return parent === undefined || parent === root ? at.name : `${pathOf(parent)}.${at.name}`;
}

function shownPathOf(at: Place): string {
  const { parent } = at;
  if (parent === undefined) return "";
  if (at.label !== undefined) return `${shownPathOf(parent)}[${at.label}]`;
  return parent === root ? at.name : `${shownPathOf(parent)}.${at.name}`;
}

const remembered = 20_000;

/** For each object, the differences that its last write left. */
export class SettledDifferences {
  readonly #settled = new BoundedMap<string, ReadonlySet<string>>(remembered);

  /** Remembers what a write of the intent with this hash left as it was. */
  remember(uid: string, hash: string, differences: readonly Difference[]): void {
    if (differences.length === 0) this.#settled.delete(uid);
    else this.#settled.set(uid, new Set(differences.map((each) => digestOf(hash, each))));
  }

  /** The differences that the last write of this intent has not left. */
  unsettled(uid: string, hash: string, differences: readonly Difference[]): readonly Difference[] {
    const settled = differences.length === 0 ? undefined : this.#settled.get(uid);
    return settled === undefined
      ? differences
      : differences.filter((each) => !settled.has(digestOf(hash, each)));
  }
}

function digestOf(hash: string, { path, live }: Difference): string {
  const text = JSON.stringify([path, live ?? null]);
  return createHash("sha1").update(hash).update(text).digest("base64");
}
