// A value of YAML as an expression of TypeScript, laid out as a formatter would.
import { isFields } from "./manifest.ts";
import { textExpression, type PlaceholderScope } from "./placeholders.ts";

/** Longest line of generated code. */
const lineWidth = 100;

/** The expression of a value, of which all lines but the first begin with `indent` spaces or more. */
export function expressionFor(value: unknown, scope: PlaceholderScope, indent: number): string {
  const flat = flatOf(value, scope);
  if (!isNested(value) || (!flat.includes("\n") && flat.length + indent <= lineWidth && isSimple(value)))
    return flat;
  const inner = " ".repeat(indent + 2);
  const lines = Array.isArray(value)
    ? value.map((each) => `${inner}${expressionFor(each, scope, indent + 2)},\n`)
    : Object.entries(value as object).map(
        ([key, each]) => `${inner}${keyOf(key, scope)}: ${expressionFor(each, scope, indent + 2)},\n`,
      );
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return `${open}\n${lines.join("")}${" ".repeat(indent)}${close}`;
}

function flatOf(value: unknown, scope: PlaceholderScope): string {
  if (typeof value === "string") return textExpression(value, scope);
  if (Array.isArray(value)) return `[${value.map((each) => flatOf(each, scope)).join(", ")}]`;
  if (!isFields(value)) return String(value);
  const parts = Object.entries(value).map(([key, each]) => `${keyOf(key, scope)}: ${flatOf(each, scope)}`);
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

/** One line is enough for a list of simple values, and for a map that is not nested further than once. */
function isSimple(value: unknown): boolean {
  const isFlat = (each: unknown): boolean => Object.values(each as object).every((inner) => !isNested(inner));
  return (
    isFlat(value) ||
    (!Array.isArray(value) &&
      Object.values(value as object).length === 1 &&
      Object.values(value as object).every((each) => !isNested(each) || isFlat(each)))
  );
}

function isNested(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function keyOf(key: string, scope: PlaceholderScope): string {
  const code = textExpression(key, scope);
  if (/^"[A-Za-z_$][\w$]*"$/.test(code) && key !== "__proto__") return key;
  // A field of that name, not the prototype.
  return code.startsWith('"') && key !== "__proto__" ? code : `[${code}]`;
}
