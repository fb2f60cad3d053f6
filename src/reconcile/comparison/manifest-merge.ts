// Merges one manifest into another as the server would: maps by field, keyed lists by key, any other list as a whole.
// Used where a template meets what is already declared, so that a reordered element never inherits another one's fields.
// And the merge patch (RFC 7396) that leads from one JSON value to another.
import { elementKey, isWholeMap, listTypeAt, type ListRules } from "./list-types.ts";
import { isEqualJson } from "../../meta/changed-paths.ts";

type Fields = Record<string, unknown>;

/** Merges `source` into `target`, in place; `source` wins. Nothing of `source` is shared with `target`. */
export function mergeManifest(target: object, source: object, rules: ListRules): void {
  mergeFields(target as Fields, source as Readonly<Fields>, "", rules);
}

/** The same for what is declared of a live object: maps that are one value as a whole are replaced. */
export function mergeDeclared(live: object, declared: object, rules: ListRules): void {
  mergeFields(live as Fields, declared as Readonly<Fields>, "", { ...rules, replacesMaps: true });
}

type MergeRules = ListRules & { readonly replacesMaps?: boolean };

function mergeFields(target: Fields, source: Readonly<Fields>, path: string, rules: MergeRules): void {
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined) continue;
    const at = path === "" ? name : `${path}.${name}`;
    const old = target[name];
    const isReplaced =
      rules.replacesMaps === true && isWholeMap(name, path.split(".").at(-1), rules, () => at);
    if (!isReplaced && isFields(old) && isFields(value)) mergeFields(old, value, at, rules);
    else if (Array.isArray(old) && Array.isArray(value)) target[name] = mergeLists(old, value, at, rules);
    else define(target, name, copyOf(value));
  }
}

function mergeLists(
  target: readonly unknown[],
  source: readonly unknown[],
  path: string,
  rules: MergeRules,
): unknown[] {
  const type = listTypeAt(path, rules);
  if (type.type === "set") return [...target, ...source.filter((each) => !target.includes(each))];
  if (type.type !== "map") return source.map(copyOf);
  const merged = [...target];
  for (const element of source) {
    const key = elementKey(element, type);
    const counterpart = key === undefined ? undefined : merged.find((each) => elementKey(each, type) === key);
    if (isFields(counterpart) && isFields(element)) mergeFields(counterpart, element, `${path}.*`, rules);
    else merged.push(copyOf(element));
  }
  return merged;
}

/** A copy that shares nothing with the value; what is no JSON is left to the platform, which is ten times slower. */
export function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isFields(value)) return typeof value === "function" ? structuredClone(value) : value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return structuredClone(value);
  const copy: Fields = {};
  for (const name of Object.keys(value)) define(copy, name, copyOf(value[name]));
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
