// What kind of JSON a value is, in the words of the API server's messages. Fed with parsed request bodies;
// read by every walker of this folder and of src/cluster/patch.

/**
 * How deep values may be nested. Kubernetes takes 10,000 levels; the stack of JavaScript holds fewer.
 * Whatever enters the API server is held to it, so that walkers may recurse.
 */
export const maxNesting = 1_000;

/** Whether a value is nested deeper than allowed. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= maxNesting; depth += 1) {
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
    if (level.length === 0) return false;
  }
  return true;
}

/** A parsed JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object: neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a JSON list. */
export function isJsonArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Own property of an object; undefined when absent, also for names that every object inherits. */
export function fieldOf<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets a field on an object under construction, also one named `__proto__`. */
export function setField(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[name] = value;
  }
}

/** A copy of a JSON value that shares nothing with it; as in JSON, a field that is undefined is none. */
export function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const field = (value as JsonObject)[name];
    if (field === undefined) continue;
    const own = typeof field === "object" ? copyOf(field) : field;
    if (name === "__proto__") setField(copy, name, own);
    else copy[name] = own;
  }
  return copy;
}

/**
 * Whether two JSON values are equal: objects whatever the order of their fields.
 *
 * **Guarantees**: looks at own fields only, so that a field named `valueOf` or `__proto__` is one like any other.
 */
export function equal(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    for (let index = 0; index < left.length; index += 1) if (!equal(left[index], right[index])) return false;
    return true;
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => Object.hasOwn(right, name) && equal(left[name], right[name]));
}

/** OpenAPI's name of a value's type, as it appears in validation messages. */
export function jsonTypeOf(
  value: unknown,
): "null" | "array" | "object" | "string" | "boolean" | "integer" | "number" {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return "object";
}

/** JSON with sorted keys: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const fields = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`);
  return `{${fields.join(",")}}`;
}
