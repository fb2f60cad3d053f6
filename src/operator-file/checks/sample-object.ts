// An object that is written with expressions as objects that it may become: with a small or a large value in place of each expression, or
// nothing. What is wrong with all of them is wrong with what is written. Pure.
import { keyPath } from "../../machine-file/place-of-problem.ts";
import { isJsonArray, isJsonObject } from "../../schema/json-value.ts";
import { additionalSchema, propertySchema, type StructuralSchema } from "../../schema/structural-schema.ts";
import type { Path, WrittenObject } from "../file/file-reader.ts";
import { hasExpression, textPartsOf, withSample } from "../expressions/template-text.ts";

/** What stands in place of expressions. */
export type Sample = "small" | "large" | "absent";

/** All of them. */
export const samples: readonly Sample[] = ["small", "large", "absent"];

/** The object with samples; `schema` is that of its type, if it is known. */
export function sampleObject(
  { value, reader, path }: Pick<WrittenObject, "value" | "reader" | "path">,
  schema: StructuralSchema | undefined,
  sample: Sample,
): Readonly<Record<string, unknown>> {
  const typeAt = (at: Path): string | undefined => reader.expressionTypes.get(keyPath(...path, ...at));
  const visit = (part: unknown, at: Path, node: StructuralSchema | undefined): unknown => {
    if (typeof part === "string") return sampleText(part, typeAt(at), node, sample);
    if (isJsonArray(part)) {
      return part.flatMap((item, index) => {
        const made = visit(item, [...at, String(index)], node?.items);
        return made === undefined ? [] : [made];
      });
    }
    if (!isJsonObject(part)) return part;
    const fields = Object.entries(part).flatMap(([name, field]) => {
      const inner = node === undefined ? undefined : (propertySchema(node, name) ?? additionalSchema(node));
      const made = visit(field, [...at, name], inner);
      return made === undefined ? [] : [[withSample(name, () => "x"), made] as const];
    });
    return Object.fromEntries(fields);
  };
  return visit(value, [], schema) as Readonly<Record<string, unknown>>;
}

/** The paths of what depends on expressions: of values, and of what has one in its name. */
export function expressionPaths(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value === "string") return hasExpression(value) ? [at] : [];
  if (isJsonArray(value)) {
    return value.flatMap((item, index) => expressionPaths(item, [...at, String(index)]));
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, field]) =>
    hasExpression(name) ? [at] : expressionPaths(field, [...at, name]),
  );
}

/** Whether a value is one expression, of a type that is known before it is evaluated. */
export function isTypedExpression(
  { reader, path }: Pick<WrittenObject, "reader" | "path">,
  at: Path,
): boolean {
  const type = bareType(reader.expressionTypes.get(keyPath(...path, ...at)));
  return type !== undefined && type !== "dyn";
}

function bareType(type: string | undefined): string | undefined {
  return type?.replace(/^optional<(.*)>$/, "$1");
}

function sampleText(
  text: string,
  celType: string | undefined,
  node: StructuralSchema | undefined,
  sample: Sample,
): unknown {
  if (!hasExpression(text)) return withSample(text, () => "");
  const isWhole = textPartsOf(text).length === 1;
  if (!isWhole) return withSample(text, () => "x");
  if (sample === "absent") return undefined;
  const isSmall = sample === "small";
  const type = bareType(celType) ?? "dyn";
  if (type === "int" || type === "uint") return isSmall ? 1 : 1_000;
  if (type === "double") return 1.5;
  if (type === "bool") return !isSmall;
  if (/^list\b/.test(type)) return [];
  if (/^map\b|\.type\b/.test(type)) return {};
  // Of what nobody knows the type of, what fits; and so of texts, of which some would be wrong.
  const isText = type === "string" && node?.type !== undefined && node.type !== "string";
  return isText ? "x" : fitting(node, isSmall);
}

function fitting(node: StructuralSchema | undefined, isSmall: boolean): unknown {
  if (node?.["x-kubernetes-int-or-string"] === true) return isSmall ? 1 : 1_000;
  if (node?.format === "quantity") return isSmall ? "1m" : "1000";
  if (node?.format === "date-time" || node?.format === "micro-time") return undefined;
  switch (node?.type) {
    case "integer":
    case "number":
      return isSmall ? 1 : 1_000;
    case "boolean":
      return !isSmall;
    case "array":
      return [];
    case "object":
      return {};
    case "string":
    case undefined:
    default:
      return "x";
  }
}
