// One form for every intent that says the same: nothing absent is mentioned, fields and lists whose order says nothing are
// sorted.
// Hashed by intent-hash.ts, so that shuffling maps or keyed lists never looks like a change.
import { elementKey, listTypeAt, type ListRules } from "./list-types.ts";

/** The value without absent fields, with fields, keyed and unordered lists sorted: equal intents have one text; pure. */
export function canonicalIntent(value: unknown, rules: ListRules): unknown {
  return canonical(value, "", rules);
}

function canonical(value: unknown, path: string, rules: ListRules): unknown {
  if (Array.isArray(value)) return canonicalList(value, path, rules);
  if (typeof value !== "object" || value === null) return value;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(fields).sort()) {
    const field = fields[name];
    if (field === undefined || field === null) continue;
    result[name] = canonical(field, path === "" ? name : `${path}.${name}`, rules);
  }
  return result;
}

function canonicalList(list: readonly unknown[], path: string, rules: ListRules): unknown[] {
  const elements = list.map((each) => canonical(each, `${path}.*`, rules));
  const type = listTypeAt(path, rules);
  if (type.type === "atomic") return elements;
  if (type.type !== "map") return elements.sort(byText((each) => JSON.stringify(each)));
  if (type.ordered || refersBackwards(path, list)) return elements;
  return elements.sort(byText((each) => elementKey(each, type.keys) ?? ""));
}

/** A variable may use those before it, as `$(NAME)`: then their order says something. */
function refersBackwards(path: string, list: readonly unknown[]): boolean {
  return path.endsWith(".env") && JSON.stringify(list).includes("$(");
}

function byText(textOf: (value: unknown) => string): (left: unknown, right: unknown) => number {
  return (left, right) => {
    const [first, second] = [textOf(left), textOf(right)];
    return first < second ? -1 : first > second ? 1 : 0;
  };
}
