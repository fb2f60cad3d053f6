// Unions in a structural schema: the shape stands outside, once; what tells the variants apart stands inside, as value
// checks only. A union that cannot be said so is refused with the way out.
import { isDeepStrictEqual } from "node:util";
import type { StructuralSchema } from "./builtin/json-of.ts";
import { nullableSchema, patternOf } from "./nullable-schema.ts";
import { refuseSchema } from "./unsupported-schema.ts";

type Fields = Readonly<Record<string, StructuralSchema>>;

/** How the variants exclude each other: `oneOf` for a discriminated union, `anyOf` otherwise. */
export type UnionKeyword = "anyOf" | "oneOf";

/** One schema for a value that has the form of one of the variants. Errors: `CRD_SCHEMA_UNSUPPORTED`. */
export function unionOf(
  variants: readonly StructuralSchema[],
  keyword: UnionKeyword,
  path: string,
): StructuralSchema {
  const [first] = variants;
  const merged = first !== undefined && variants.length === 1 ? first : merge(variants, keyword, path);
  return variants.some((variant) => variant.nullable === true) ? nullableSchema(merged, path) : merged;
}

function merge(variants: readonly StructuralSchema[], keyword: UnionKeyword, path: string): StructuralSchema {
  const types = new Set(variants.map((variant) => variant.type));
  const [type] = types;
  if (types.size === 1 && type === "object") return objectUnion(variants, keyword, path);
  if (types.size === 1 && type !== undefined && type !== "array") return scalarUnion(variants, type);
  if (types.size === 1 && variants.every((variant) => isDeepStrictEqual(variant, variants[0]))) {
    return variants[0] ?? {};
  }
  if (isSetOf(types, ["integer", "number"])) return scalarUnion(variants, "number");
  if (isSetOf(types, ["integer", "string"])) return intOrString(variants, path);
  return refuseSchema(path, {
    what: `a union of ${[...types].map((each) => each ?? "anything").join(" and ")} has no structural schema (one type per field)`,
    remedy:
      "Use one type; z.union([z.int(), z.string()]) is the one mixture the server knows; z.unknown() accepts anything.",
  });
}

/** Values of one type: either all of them are listed, or each variant has checks of its own. */
function scalarUnion(
  variants: readonly StructuralSchema[],
  type: NonNullable<StructuralSchema["type"]>,
): StructuralSchema {
  const [only] = variants;
  if (only !== undefined && variants.length === 1) return only;
  if (variants.every((variant) => variant.enum !== undefined)) {
    return { type, enum: [...new Set(variants.flatMap((variant) => variant.enum ?? []))] };
  }
  const checks = variants.map(valueChecksOf);
  // A variant without checks accepts every value of the type.
  return checks.some((check) => Object.keys(check).length === 0) ? { type } : { type, anyOf: checks };
}

/** Checks on strings do not concern integers, nor the reverse, so all of them can stand outside. */
function intOrString(variants: readonly StructuralSchema[], path: string): StructuralSchema {
  const ofType = (type: "integer" | "string"): StructuralSchema =>
    scalarUnion(
      variants.filter((variant) => variant.type === type),
      type,
    );
  const { type: _string, enum: texts, ...strings } = ofType("string");
  const { type: _integer, enum: numbers, ...integers } = ofType("integer");
  if (texts !== undefined && numbers !== undefined) {
    return { "x-kubernetes-int-or-string": true, enum: [...numbers, ...texts] };
  }
  if (numbers !== undefined || "anyOf" in strings || "anyOf" in integers) {
    return refuseSchema(path, {
      what: "this mixture of integers and strings has no structural schema",
      remedy: "Use one schema for the integers, z.int(), and one for the strings; either may have checks.",
    });
  }
  const pattern = texts === undefined ? {} : { pattern: patternOf(texts as string[]) };
  return { "x-kubernetes-int-or-string": true, ...strings, ...integers, ...pattern };
}

function objectUnion(
  variants: readonly StructuralSchema[],
  keyword: UnionKeyword,
  path: string,
): StructuralSchema {
  if (variants.some((variant) => variant.additionalProperties !== undefined)) {
    return refuseSchema(path, {
      what: "a union with a record among its variants has no structural schema",
      remedy: "Give the record a name of its own inside an object.",
    });
  }
  const names = [...new Set(variants.flatMap((variant) => Object.keys(variant.properties ?? {})))];
  const outer: Record<string, StructuralSchema> = {};
  const inner: Record<string, StructuralSchema>[] = variants.map(() => ({}));
  for (const name of names) {
    const present = variants.flatMap((variant) => variant.properties?.[name] ?? []);
    const common = present.every((each) => isDeepStrictEqual(each, present[0]));
    if ((!common || present.length < variants.length) && present.some((each) => each.default !== undefined)) {
      refuseSchema(`${path}.${name}`, {
        what: "the server would give the default of one variant to all of them",
        remedy: "Make the field optional instead, or give every variant the same field.",
      });
    }
    if (common) {
      outer[name] = present[0] ?? {};
      continue;
    }
    outer[name] = sharedField(present, `${path}.${name}`);
    for (const [index, variant] of variants.entries()) {
      const field = variant.properties?.[name];
      const checks = field === undefined ? {} : valueChecksOf(field);
      if (Object.keys(checks).length > 0) (inner[index] as Record<string, StructuralSchema>)[name] = checks;
    }
  }
  const required = names.filter((name) => variants.every((variant) => variant.required?.includes(name)));
  const branches = variants.map((variant, index): StructuralSchema => {
    const properties: Fields = inner[index] ?? {};
    return {
      ...(Object.keys(properties).length === 0 ? {} : { properties }),
      ...(variant.required === undefined ? {} : { required: variant.required }),
    };
  });
  const open = variants.some((variant) => variant["x-kubernetes-preserve-unknown-fields"] === true);
  return {
    type: "object",
    properties: outer,
    ...(required.length === 0 ? {} : { required }),
    [keyword]: branches,
    ...(open ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
  };
}

/** A field that several variants have in different forms: its type outside, the listed values of all of them. */
function sharedField(fields: readonly StructuralSchema[], path: string): StructuralSchema {
  const [first] = fields;
  const type = first?.type;
  if (
    type === undefined ||
    type === "object" ||
    type === "array" ||
    fields.some((each) => each.type !== type)
  ) {
    return refuseSchema(path, {
      what: "the variants of a union give this field different shapes",
      remedy: "Give it the same shape in every variant, or another name in each.",
    });
  }
  const description = fields.find((each) => each.description !== undefined)?.description;
  return {
    type,
    ...(description === undefined ? {} : { description }),
    ...(fields.every((each) => each.enum !== undefined)
      ? { enum: [...new Set(fields.flatMap((each) => each.enum ?? []))] }
      : {}),
  };
}

/** What may stand inside a variant: checks of the value, without type, texts, defaults and extensions. */
function valueChecksOf(schema: StructuralSchema): StructuralSchema {
  const {
    type: _type,
    description: _text,
    title: _title,
    default: _default,
    nullable: _null,
    ...checks
  } = schema;
  return Object.fromEntries(Object.entries(checks).filter(([key]) => !key.startsWith("x-kubernetes-")));
}

function isSetOf(types: ReadonlySet<unknown>, members: readonly string[]): boolean {
  return types.size === members.length && members.every((member) => types.has(member));
}
