// The fingerprint of what we declare, kept as an annotation on the object: tells that the intent has changed since it was
// written, also when the change is a key that is no longer there.
import { hash as digestOf } from "node:crypto";
import { ascending } from "../../collections/ascending.ts";
import { elementKey, listTypeAt, type ListRules } from "./list-types.ts";

/** The annotation that holds the hash. */
export const intentHashAnnotation = "xstate-operator.dev/intent-hash";

/** Follows the hash of what was last written in another way than by apply. */
const otherwise = ".update";

/**
 * The hash of a declared value: equal for equal content, whatever the order of maps and of lists that are keyed or
 * unordered on the server; 40 hexadecimal digits.
 */
export function intentHash(value: unknown, rules: ListRules): string {
  return hashOfText(intentText(value, rules));
}

/** The text of a declared value that is hashed. */
export function intentText(value: unknown, rules: ListRules): string {
  return JSON.stringify(canonical(value, "", rules) ?? null);
}

/** The hash of such a text. */
export function hashOfText(text: string): string {
  // As the package object-hash writes a text: objects in clusters carry hashes that it has made.
  return digestOf("sha256", `string:${text.length}:${text}`).slice(0, 40);
}

interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}

/** What an object says of its last write: `<hash>`, `.update` unless it was by apply, and the operator after an `@`. */
interface Mark {
  readonly hash: string;
  readonly byApply: boolean;
  /** Absent on objects of earlier versions. */
  readonly operator: string | undefined;
}

/** The mark of an object; undefined when it has none. */
export function markOf(object: Annotated): Mark | undefined {
  const stored = object.metadata.annotations?.[intentHashAnnotation];
  if (stored === undefined) return undefined;
  const [written = "", operator] = stored.split("@");
  const byApply = !written.endsWith(otherwise);
  return { hash: byApply ? written : written.slice(0, -otherwise.length), byApply, operator };
}

/** The hash in an object's annotations. */
export function storedHash(object: Annotated): string | undefined {
  return markOf(object)?.hash;
}

/** Whether the operator has written an object last by apply; then the server knows all its fields as applied by it. */
export function isApplied(object: Annotated, operator: string): boolean {
  const mark = markOf(object);
  return mark?.byApply === true && mark.operator === operator;
}

/** The manifest with the mark of a write among its annotations; the others are kept. */
export function withMark<T extends Annotated>(manifest: T, { hash, byApply, operator }: Mark): T {
  const value = `${hash}${byApply ? "" : otherwise}@${operator}`;
  const annotations = { ...manifest.metadata.annotations, [intentHashAnnotation]: value };
  return { ...manifest, metadata: { ...manifest.metadata, annotations } };
}

/** The value without absent fields, with fields, keyed and unordered lists sorted: equal intents have one text. */
function canonical(value: unknown, path: string, rules: ListRules): unknown {
  if (Array.isArray(value)) return canonicalList(value, path, rules);
  if (typeof value !== "object" || value === null) return value;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const result: Record<string, unknown> = {};
  for (const name of ascending(Object.keys(fields))) {
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
  return elements.sort(byText((each) => elementKey(each, type) ?? ""));
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
