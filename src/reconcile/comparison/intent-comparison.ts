// Where a live object differs from what we declare: only declared fields count, and values are compared by meaning.
// What the server adds (defaults), reorders (keyed lists) or rewrites (quantities) is no difference; nor is what others add.
import { elementKey, listTypeAt, type ListRules } from "./list-types.ts";
import { isSameQuantity, equalsAbsent, isPlainField } from "./server-forms.ts";
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
}

const root: Place = { parent: undefined, name: "", plain: false };

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
      const plain = at.plain || isPlainField(name);
      compare(value, liveValue, { parent: at, name, plain }, rules, found);
    }
    return;
  }
  if (!isSameScalar(declared, live, at, rules)) differ(at, declared, live, found);
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
  const type = listTypeAt(pathOf(at), rules);
  switch (type.type) {
    case "map":
      compareByKey(declared, live, type.keys, at, rules, found);
      if (type.ordered && !isInOrder(declared, live, type.keys))
        differ(at, keysOf(declared, type.keys), keysOf(live, type.keys), found);
      return;
    case "set": {
      const missing = declared.some((each) => !live.includes(each));
      if (missing) differ(at, declared, live, found);
      return;
    }
    case "unordered": {
      const same = declared.length === live.length && declared.every((each) => live.includes(each));
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
        else compare(each, live[index], elementAt(at, String(index)), rules, found);
      }
      return;
  }
}

function compareByKey(
  declared: readonly unknown[],
  live: readonly unknown[],
  keys: readonly string[],
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

function isInOrder(declared: readonly unknown[], live: readonly unknown[], keys: readonly string[]): boolean {
  const order = keysOf(live, keys);
  const ours = keysOf(declared, keys).filter((key) => order.includes(key));
  return ours.every((key, index) => index === 0 || order.indexOf(ours[index - 1]) < order.indexOf(key));
}

function keysOf(list: readonly unknown[], keys: readonly string[]): (string | undefined)[] {
  return list.map((each) => elementKey(each, keys));
}

/** In a whole-valued list an empty element stands for "all" (a network rule): one that says more is another. */
function isEmptied(declared: unknown, live: unknown): boolean {
  const isEmptyMap = (value: unknown): boolean =>
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
  return isEmptyMap(declared) !== isEmptyMap(live) && (isEmptyMap(declared) || isEmptyMap(live));
}

function elementAt(parent: Place, label: string): Place {
  return { parent, name: "*", label, plain: parent.plain };
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
  readonly #settled = new BoundedMap<string, string>(remembered);

  /** Remembers what a write of the intent with this hash left as it was. */
  remember(uid: string, hash: string, differences: readonly Difference[]): void {
    if (differences.length === 0) this.#settled.delete(uid);
    else this.#settled.set(uid, digestOf(hash, differences));
  }

  /** Whether these are the differences that the last write of this intent left. */
  covers(uid: string, hash: string, differences: readonly Difference[]): boolean {
    return this.#settled.get(uid) === digestOf(hash, differences);
  }
}

function digestOf(hash: string, differences: readonly Difference[]): string {
  const text = JSON.stringify(differences.map(({ path, live }) => [path, live ?? null]));
  return createHash("sha1").update(hash).update(text).digest("base64");
}
