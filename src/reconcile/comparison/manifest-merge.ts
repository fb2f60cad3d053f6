// Merges one manifest into another as the server would: maps by field, keyed lists by key, any other list as a whole.
// Used where a template meets what is already declared, so that a reordered element never inherits another one's fields.
// And the merge patch (RFC 7396) that leads from one JSON value to another.
import { elementKey, isWholeMap, listTypeAt, type ListRules } from "./list-types.ts";
import { isEqualJson } from "../../meta/changed-paths.ts";
import { isUnchangeable } from "../../meta/frozen.ts";

type Fields = Record<string, unknown>;

/** Merges `source` into `target`, in place; `source` wins. Nothing of `source` is shared with `target`. */
export function mergeManifest(target: object, source: object, rules: ListRules): void {
  mergeFields(target as Fields, source as Readonly<Fields>, "", rules);
}

/** The same where nobody goes on to change `target` but by merging: it shares with `source` what is unchangeable. */
export function mergeSharing(target: object, source: object, rules: ListRules): void {
  mergeFields(target as Fields, source as Readonly<Fields>, "", { ...rules, shares: true });
}

/** The same as {@link mergeManifest} for what is declared of a live object: maps that are one value as a whole are replaced. */
export function mergeDeclared(live: object, declared: object, rules: ListRules): void {
  mergeFields(live as Fields, declared as Readonly<Fields>, "", { ...rules, replacesMaps: true });
}

type MergeRules = ListRules & { readonly replacesMaps?: boolean; readonly shares?: boolean };

function mergeFields(target: Fields, source: Readonly<Fields>, path: string, rules: MergeRules): void {
  const copies = rules.shares === true ? "shared where nobody can change it" : "whole";
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined) continue;
    const at = path === "" ? name : `${path}.${name}`;
    const old = target[name];
    const isReplaced =
      rules.replacesMaps === true && isWholeMap(name, path.split(".").at(-1), rules, () => at);
    if (!isReplaced && isFields(old) && isFields(value)) {
      const own = isUnchangeable(old) ? { ...old } : old;
      if (own !== old) define(target, name, own);
      mergeFields(own, value, at, rules);
    } else if (Array.isArray(old) && Array.isArray(value)) target[name] = mergeLists(old, value, at, rules);
    else define(target, name, copyOf(value, copies));
  }
}

function mergeLists(
  target: readonly unknown[],
  source: readonly unknown[],
  path: string,
  rules: MergeRules,
): unknown[] {
  const type = listTypeAt(path, rules);
  if (type.type === "set") {
    const there = new Set(target);
    return [...target, ...source.filter((each) => !there.has(each))];
  }
  if (type.type !== "map") return source.map((each) => copyOf(each));
  const merged = [...target];
  const places = new Map<string, number>();
  const place = (element: unknown, at: number): void => {
    const key = elementKey(element, type);
    if (key !== undefined && !places.has(key)) places.set(key, at);
  };
  for (const [at, element] of target.entries()) place(element, at);
  for (const element of source) {
    const key = elementKey(element, type);
    const at = key === undefined ? undefined : places.get(key);
    const counterpart = at === undefined ? undefined : merged[at];
    if (isFields(counterpart) && isFields(element)) mergeFields(counterpart, element, `${path}.*`, rules);
    else place(element, merged.push(copyOf(element)) - 1);
  }
  return merged;
}

/**
 * A copy that shares nothing with the value, unless it may share what nobody can change; what is no JSON is left to the platform,
 * which is ten times slower.
 */
export function copyOf(
  value: unknown,
  how: "whole" | "shared where nobody can change it" = "whole",
): unknown {
  if (typeof value === "object" && value !== null && how !== "whole" && isUnchangeable(value)) return value;
  if (Array.isArray(value)) return value.map((each) => copyOf(each, how));
  if (!isFields(value)) return typeof value === "function" ? structuredClone(value) : value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return structuredClone(value);
  const copy: Fields = {};
  for (const name of Object.keys(value)) define(copy, name, copyOf(value[name], how));
  return copy;
}

/** A field named `__proto__` in a template is a field like any other. */
function define(target: Fields, name: string, value: unknown): void {
  if (name !== "__proto__") target[name] = value;
  else Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}

/** The fields of `after` that differ from `before`, with null for those that are gone; undefined when none does. */
export function mergePatchOf(
  before: Readonly<Fields>,
  after: Readonly<Fields>,
): Record<string, unknown> | undefined {
  const patch: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, next] = [before[name], after[name]];
    if (next === undefined || next === null) {
      if (old !== undefined && old !== null) patch[name] = null;
    } else if (isFields(old) && isFields(next)) {
      const inner = mergePatchOf(old, next);
      if (inner !== undefined) patch[name] = inner;
    } else if (!isEqualJson(old, next)) {
      patch[name] = next;
    }
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
