// One step of a field path, in the spelling of `fieldsV1`: f:name, k:{"name":"a"}, v:"x", i:0.
// That spelling identifies the step, so sets of fields use it as their key. Printed forms are those of conflict messages.
import { canonicalJson, isJsonObject } from "../../schema/json-value.ts";

/** A step: `f:` a field, `k:` an item of a map list, `v:` an item of a set, `i:` an index. */
export type PathElement = `f:${string}` | `k:${string}` | `v:${string}` | `i:${string}`;

/** The step into a field. */
export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** The step to the item of a map list with these key values. */
export function keyElement(keys: Readonly<Record<string, unknown>>): PathElement {
  return `k:${canonicalJson(keys)}`;
}

/** The step to an item of a set. */
export function valueElement(value: unknown): PathElement {
  return `v:${canonicalJson(value)}`;
}

/** Whether a text from `fieldsV1` is a step; the member mark `.` is none. */
export function isPathElement(text: string): text is PathElement {
  if (text.startsWith("f:")) return true;
  const rest = parseJson(text.slice(2));
  if (text.startsWith("k:")) return isJsonObject(rest);
  if (text.startsWith("v:")) return rest !== undefined;
  return text.startsWith("i:") && Number.isInteger(rest);
}

/** The field a step goes into; undefined for steps to list items. */
export function fieldNameOf(element: PathElement): string | undefined {
  return element.startsWith("f:") ? element.slice(2) : undefined;
}

/** A path as conflict messages print it, such as `.spec.envs[name="a"].value`. */
export function printPath(path: readonly PathElement[]): string {
  return path.map(printElement).join("");
}

/** One step as messages print it, such as `[name="a"]`. */
export function printElement(element: PathElement): string {
  const rest = element.slice(2);
  if (element.startsWith("f:")) return `.${rest}`;
  if (element.startsWith("v:")) return `[=${rest}]`;
  if (element.startsWith("i:")) return `[${rest}]`;
  const keys = parseJson(rest);
  const parts = isJsonObject(keys) ? Object.entries(keys) : [];
  return `[${parts.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(",")}]`;
}

/** Order in which the server lists steps: fields, keys, values, indexes. */
export function compareElements(left: PathElement, right: PathElement): number {
  const [kind, other] = [left.charAt(0), right.charAt(0)];
  if (kind !== other) return "fkvi".indexOf(kind) - "fkvi".indexOf(other);
  if (kind === "f") return compareTexts(left, right);
  return compareValues(parseJson(left.slice(2)), parseJson(right.slice(2))) || compareTexts(left, right);
}

function compareValues(left: unknown, right: unknown): number {
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (typeof left === "string" && typeof right === "string") return compareTexts(left, right);
  if (!isJsonObject(left) || !isJsonObject(right)) return 0;
  for (const name of Object.keys(left)) {
    const order = compareValues(left[name], right[name]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
