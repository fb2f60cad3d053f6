// From JSON schema to the structural schema that a CRD may have: one type per node, no references, nothing that the server
// would refuse or silently not check. What cannot be said is refused here, with the field and the way out.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
import type { z } from "zod";
import type { Json } from "../meta/object.ts";
import type { StructuralSchema } from "./builtin/json-of.ts";
import { nullableSchema } from "./nullable-schema.ts";
import { completeDefault } from "./schema-defaults.ts";
import { unionOf } from "./structural-union.ts";
import { refuseSchema, type Unsupported } from "./unsupported-schema.ts";
import {
  jsonSchemaOf,
  keyRuleStart,
  unchecked,
  type ByFunction,
  unsupported,
  written,
  type JsonSchema,
} from "./zod-schema.ts";

/** Formats that the API server checks; any other is a hint for people and left out. */
const checkedFormats = new Set([
  "date-time",
  "date",
  "uri",
  "email",
  "ipv4",
  "ipv6",
  "uuid",
  "byte",
  "int32",
  "int64",
]);

/** Keywords that mean the same in both and are copied. */
const copied = [
  "title",
  "description",
  "default",
  "enum",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
] as const;

/** Receives what is wrong with a schema, so that all of it is found; what is refused is left out of the result then. */
export interface SchemaFindings {
  /** Receives the refusal of a field. */
  refused(error: unknown): void;
  /** Receives the path of a field with checks that the server does not make. */
  unchecked(path: string, what: ByFunction): void;
}

/**
 * The structural schema of a zod schema.
 *
 * **Errors**: `CRD_SCHEMA_UNSUPPORTED`, with the path of the field below `path` and what to write instead; with `found`, only
 * where the whole is refused.
 */
export function structuralSchemaOf(
  schema: z.ZodType,
  path: string,
  found?: SchemaFindings,
): StructuralSchema {
  return toStructural(jsonSchemaOf(schema), path, found);
}

function toStructural(node: JsonSchema, path: string, found?: SchemaFindings): StructuralSchema {
  const structural = node[written];
  if (structural !== undefined) return structural;
  if (node["default"] === null) {
    refuseSchema(path, {
      what: "the server takes a default of null for none, and leaves the field out",
      remedy: "Write .nullable().optional(), and take a field that is missing for null.",
    });
  }
  const { nullable, ...rest } = node;
  const byFunction = node[unchecked];
  if (byFunction !== undefined) found?.unchecked(path, byFunction);
  if (nullable !== true || isNull(node)) return toPlain(node, path, found);
  return nullableSchema(toPlain(rest, path, found), path);
}

/** A part of a schema; where all findings are wanted, one that is refused accepts anything. */
function partOf(node: JsonSchema, path: string, found: SchemaFindings | undefined): StructuralSchema {
  if (found === undefined) return toStructural(node, path);
  try {
    return toStructural(node, path, found);
  } catch (error) {
    found.refused(error);
    return { "x-kubernetes-preserve-unknown-fields": true };
  }
}

function toPlain(node: JsonSchema, path: string, found: SchemaFindings | undefined): StructuralSchema {
  const mark = node[unsupported];
  if (mark !== undefined) refuseSchema(path, mark);
  if (node.$ref !== undefined || node.allOf?.some((each) => each.$ref !== undefined) === true) {
    refuseSchema(path, {
      what: "a schema that contains itself has no end for the server",
      remedy: "Use z.unknown() from some depth on; z.json() is such a schema too.",
    });
  }
  const options = node.anyOf ?? node.oneOf;
  if (options !== undefined) {
    const keyword = node.oneOf === undefined ? "anyOf" : "oneOf";
    const variants = options
      .filter((option) => !isNull(option))
      .map((option) => toStructural(option, path, found));
    const union = unionOf(variants, keyword, path);
    const schema = variants.length < options.length ? nullableSchema(union, path) : union;
    return completeDefault({ ...schema, ...annotationsOf(node) });
  }
  const extensions = Object.fromEntries(
    Object.entries(node).filter(([key]) => key.startsWith("x-kubernetes-")),
  );
  const type = typeOf(node, path);
  const schema: Record<string, unknown> = {
    ...(type === undefined ? {} : { type }),
    ...annotationsOf(node),
    ...extensions,
  };
  if (extensions["x-kubernetes-int-or-string"] === true) delete schema["type"];
  else if (type === undefined) schema["x-kubernetes-preserve-unknown-fields"] = true;
  if (type === "object") return completeDefault({ ...schema, ...objectPartOf(node, path, found) });
  if (type === "array") {
    const items = partOf(node.items ?? {}, `${path}[]`, found);
    if (schema["maxItems"] === undefined && checksKeys(items)) refuseSchema(path, unlimitedKeyChecks);
    return { ...schema, items };
  }
  if (type === "string") return { ...schema, ...stringPartOf(node, path) };
  // The server's integers are 64 bit wide, those of this process are doubles: without zod's bounds the server would store what
  // is rounded when it is read, and the rounded number would go into a child.
  if (type === "integer") return { ...schema, ...formatOf(node) };
  return schema;
}

function objectPartOf(node: JsonSchema, path: string, found: SchemaFindings | undefined): StructuralSchema {
  const { additionalProperties, properties = {} } = node;
  const names = Object.keys(properties);
  const rest = typeof additionalProperties === "object" ? additionalProperties : undefined;
  const open = rest !== undefined && Object.keys(rest).length === 0 && rest[unsupported] === undefined;
  if (names.length > 0 && rest !== undefined && !open) {
    refuseSchema(path, {
      what: "an object has either named fields or a schema for all others, not both",
      remedy: "Put the others into a z.record() under a name of their own, or use z.looseObject().",
    });
  }
  if (names.length === 0) {
    if (open) return { "x-kubernetes-preserve-unknown-fields": true };
    if (rest === undefined) return {};
    const values = partOf(rest, `${path}{}`, found);
    if (node["maxProperties"] === undefined && checksKeys(values)) refuseSchema(path, unlimitedKeyChecks);
    return { additionalProperties: values };
  }
  const fields = names.map(
    (name) => [name, partOf(properties[name] ?? {}, `${path}.${name}`, found)] as const,
  );
  // A field with a default is never missing by the time the server looks.
  const defaulted = new Set(fields.filter(([, field]) => field.default !== undefined).map(([name]) => name));
  const required = (node.required ?? []).filter((name) => !defaulted.has(name));
  return {
    properties: Object.fromEntries(fields),
    ...(required.length === 0 ? {} : { required }),
    ...(open ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
  };
}

/** An API server adds up what a rule may cost for each object that there may be, and takes no CRD that costs too much. */
const unlimitedKeyChecks: Unsupported = {
  what: "the server checks the keys of the records in it only when their number is limited",
  remedy: "Limit it: z.array(…).max(16), or z.record(…).meta({ maxProperties: 16 }).",
};

/** Whether the keys of a record are checked by a rule somewhere in a schema. */
function checksKeys({ properties, items, additionalProperties, ...schema }: StructuralSchema): boolean {
  if (schema["x-kubernetes-validations"]?.some(({ rule }) => rule.startsWith(keyRuleStart)) === true)
    return true;
  const values = typeof additionalProperties === "object" ? additionalProperties : undefined;
  const inner = [...Object.values(properties ?? {}), items, values];
  return inner.some((each) => each !== undefined && checksKeys(each));
}

function stringPartOf(node: JsonSchema, path: string): StructuralSchema {
  const all = (node.allOf ?? []).map((each) => stringPartOf(each, path));
  return {
    ...formatOf(node),
    ...(typeof node["pattern"] === "string" ? { pattern: checkedPattern(node["pattern"], path) } : {}),
    ...(all.length === 0 ? {} : { allOf: all }),
  };
}

function formatOf({ format }: JsonSchema): StructuralSchema {
  return typeof format === "string" && checkedFormats.has(format) ? { format } : {};
}

/** The server's patterns are RE2: no look-around, no back reference. */
function checkedPattern(pattern: string, path: string): string {
  if (/\(\?<?[=!]|\\[1-9]|\\k</.test(pattern)) {
    refuseSchema(path, {
      what: "its pattern looks around or back, which the server's regular expressions (RE2) cannot",
      remedy: "Write it without (?=…), (?!…), (?<=…), (?<!…) and \\1; several .regex() calls must all match.",
    });
  }
  return pattern;
}

function annotationsOf(node: JsonSchema): Record<string, unknown> {
  return Object.fromEntries(copied.flatMap((key) => (node[key] === undefined ? [] : [[key, node[key]]])));
}

function isNull(node: JsonSchema): boolean {
  return node.enum?.length === 1 && node.enum[0] === null;
}

function typeOf(node: JsonSchema, path: string): StructuralSchema["type"] {
  const values = (node.enum ?? []) as readonly Json[];
  if (node.type === "number" && values.length > 0 && values.every(Number.isInteger)) return "integer";
  if (node.type !== undefined) return node.type as StructuralSchema["type"];
  const types = [...new Set(values.map((value) => typeof value))];
  if (types.length === 0) return undefined;
  if (types.length > 1) {
    refuseSchema(path, { what: "its values have different types", remedy: "Use values of one type." });
  }
  return types[0] === "boolean" ? "boolean" : types[0] === "number" ? "number" : "string";
}
