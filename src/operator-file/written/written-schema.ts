// The schema of a kind's spec or status as it is written in a file: OpenAPI, as in a CustomResourceDefinition.
import { z } from "zod";
import type { StructuralSchema } from "../../kinds/builtin/json-of.ts";
import { withDefaults } from "../../kinds/schema-defaults.ts";
import { declareStructural } from "../../kinds/zod-schema.ts";
import type { Json } from "../../meta/object.ts";
import { meantBy } from "../../ports/misspelling.ts";
import { ruleFaultsOf } from "../../schema/cel/check-rule-declarations.ts";
import { checkStructural } from "../../schema/check-structural.ts";
import { isJsonArray, isJsonObject } from "../../schema/json-value.ts";
import { validate } from "../../schema/validate.ts";
import type { FileReader, Path } from "../file/file-reader.ts";
import { reportRule } from "../file/report-rule.ts";

/** Every keyword of a schema, with what is written behind it. */
const valueOf = {
  type: "a text",
  format: "a text",
  title: "a text",
  description: "a text",
  default: "any value",
  nullable: "true or false",
  enum: "a list",
  minimum: "a number",
  maximum: "a number",
  exclusiveMinimum: "true or false",
  exclusiveMaximum: "true or false",
  multipleOf: "a number",
  minLength: "a number",
  maxLength: "a number",
  pattern: "a text",
  minItems: "a number",
  maxItems: "a number",
  uniqueItems: "true or false",
  minProperties: "a number",
  maxProperties: "a number",
  required: "a list",
  properties: "a map",
  additionalProperties: "any value",
  items: "any value",
  allOf: "a list",
  anyOf: "a list",
  oneOf: "a list",
  not: "any value",
  example: "any value",
  externalDocs: "a map",
  "x-kubernetes-preserve-unknown-fields": "true or false",
  "x-kubernetes-embedded-resource": "true or false",
  "x-kubernetes-int-or-string": "true or false",
  "x-kubernetes-list-type": "a text",
  "x-kubernetes-list-map-keys": "a list",
  "x-kubernetes-map-type": "a text",
  "x-kubernetes-validations": "a list",
} as const;
const keywords = Object.keys(valueOf);

/** Whether a value is of a form; what is a schema itself is checked as one. */
const isOfForm: Readonly<Record<(typeof valueOf)[keyof typeof valueOf], (value: unknown) => boolean>> = {
  "a text": (value) => typeof value === "string",
  "a number": (value) => typeof value === "number",
  "true or false": (value) => typeof value === "boolean",
  "a list": isJsonArray,
  "a map": isJsonObject,
  "any value": () => true,
};

/** The schema of a part of the kind, complete; undefined when something is wrong with it, which is reported. */
export function readSchema(
  reader: FileReader,
  path: Path,
  part: "spec" | "status",
): StructuralSchema | undefined {
  const given = path.reduce<unknown>(
    (value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name],
    reader.value,
  );
  if (given === undefined) return { type: "object", properties: {} };
  const before = reader.problems.length;
  checkKeywords(given, path, part, reader);
  if (reader.problems.length > before) return undefined;
  const schema = { type: "object", ...(given as StructuralSchema) } as StructuralSchema;
  const root = { type: "object", properties: { [part]: schema } } as StructuralSchema;
  const faults = new Map(ruleFaultsOf(root, "schema").map((fault) => [fault.field, fault] as const));
  for (const { field, message } of checkStructural(root, "schema")) {
    // A rule that does not compile cannot hold a default either.
    if (message.includes("compilation failed") && !faults.has(field)) continue;
    const fault = faults.get(field);
    if (fault?.message === message) {
      reportRule(fault, schema, { reader, path: [...path, ...pathOfField(field).slice(2)] });
      continue;
    }
    reader.report({
      code: "SCHEMA_INVALID",
      path: [...path, ...pathOfField(field).slice(2)],
      message: `the schema of ${part} is not one that a cluster accepts: ${message.replace(/\n[\s\S]*/, "")}`,
      remedy:
        remedyOfDefault(message) ?? "Write it as in a CustomResourceDefinition: one type for each field.",
    });
  }
  if (schema.type !== "object" || schema.properties === undefined) {
    reader.report({
      code: "SCHEMA_INVALID",
      path,
      message: `the ${part} has no named fields`,
      remedy: "Write properties: { <field>: { type: … } }.",
    });
  }
  return reader.problems.length > before ? undefined : schema;
}

/** Names that mean nothing in a schema: the API server would drop them silently. */
function checkKeywords(schema: unknown, path: Path, named: string, reader: FileReader): void {
  if (!isJsonObject(schema)) {
    reader.report({
      code: "SCHEMA_INVALID",
      path,
      message: `${named} is no schema`,
      remedy: "Write a schema: { type: string }.",
    });
    return;
  }
  for (const [name, value] of Object.entries(schema)) {
    if (name === "properties" && isJsonObject(value)) {
      for (const [field, each] of Object.entries(value)) {
        checkKeywords(each, [...path, name, field], `${named}.${field}`, reader);
      }
    } else if (["items", "additionalProperties", "not"].includes(name) && typeof value !== "boolean") {
      checkKeywords(value, [...path, name], named, reader);
    } else if (["allOf", "anyOf", "oneOf"].includes(name) && isJsonArray(value)) {
      for (const [index, each] of value.entries()) {
        checkKeywords(each, [...path, name, String(index)], named, reader);
      }
    }
  }
  for (const [name, form] of Object.entries(valueOf)) {
    if (!(name in schema) || isOfForm[form](schema[name])) continue;
    reader.report({
      code: "SCHEMA_INVALID",
      path: [...path, name],
      message: `${name} in the schema of ${named} is not ${form}`,
      remedy: `Write ${form} behind ${name}:, or leave it out.`,
    });
  }
  refuseUnknownRequired(schema, path, named, reader);
  const unknown = Object.keys(schema).filter(
    (name) => !keywords.includes(name) && !name.startsWith("x-kubernetes-"),
  );
  const [first, ...more] = unknown;
  if (first === undefined) return;
  const meant = meantBy(first, keywords);
  const others = more.length === 0 ? "" : ` (so have ${more.join(", ")})`;
  reader.report({
    code: "SCHEMA_KEYWORD_UNKNOWN",
    path: [...path, first],
    message: `the schema of ${named} has the keyword "${first}", which means nothing${others}`,
    remedy: meant === undefined ? "Name fields below properties: { … }." : `Did you mean "${meant}"?`,
  });
}

/** A field that is required and not declared: no object could ever have it, as the API server drops what is not declared. */
function refuseUnknownRequired(
  { properties, required, ...schema }: Readonly<Record<string, unknown>>,
  path: Path,
  named: string,
  reader: FileReader,
): void {
  if (!isJsonObject(properties) || !isJsonArray(required)) return;
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) return;
  const names = Object.keys(properties);
  for (const name of required.filter((each) => typeof each !== "string" || !names.includes(each))) {
    const meant = typeof name === "string" ? meantBy(name, names) : undefined;
    reader.report({
      code: "SCHEMA_INVALID",
      path: [...path, "required"],
      message: `${named} requires ${JSON.stringify(name)}, and there is no field of that name`,
      remedy: meant === undefined ? `Fields are: ${names.join(", ")}.` : `Did you mean "${meant}"?`,
    });
  }
}

/** What a default of another type than its field's should be. */
function remedyOfDefault(message: string): string | undefined {
  const [, wanted] = /in body must be of type (\w+):/.exec(message) ?? [];
  if (wanted === undefined) return undefined;
  if (wanted === "string") return "Write it in quotes: a text.";
  if (wanted === "boolean") return "Write true or false, without quotes; yes, no, on and off are texts.";
  return `Write a value of type ${wanted}${wanted === "integer" || wanted === "number" ? ", without quotes" : ""}.`;
}

/** `schema.properties[spec].properties[size].type` → its names. */
function pathOfField(field: string): Path {
  return [...field.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].slice(1).map(([whole, key]) => key ?? whole);
}

/** The schema of one field, with its default. */
export function fieldOf(field: StructuralSchema): z.ZodType {
  const type = declareStructural(
    z.unknown().transform((value, context) => {
      const filled = withDefaults(value as Json, field);
      for (const { message } of validate(field, filled)) context.addIssue({ code: "custom", message });
      return filled;
    }),
    field,
  );
  return field.default === undefined ? type : type.default(withDefaults(field.default, field));
}

/** The schema as `defineKind` takes it. What a cluster accepts and what this accepts is the same. */
export function zodOf(schema: StructuralSchema): z.ZodObject {
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const type = fieldOf(field);
    return [name, required.has(name) || field.default !== undefined ? type : type.optional()];
  });
  const { description, ...rest } = schema;
  const extensions = Object.entries(rest).filter(([name]) => name.startsWith("x-kubernetes-"));
  const shape = Object.fromEntries(fields) as z.ZodRawShape;
  const object =
    schema["x-kubernetes-preserve-unknown-fields"] === true ? z.looseObject(shape) : z.object(shape);
  return object.meta({
    ...Object.fromEntries(extensions),
    ...(description === undefined ? {} : { description }),
  });
}

/** The same schema in which texts are texts: a duration that an expression passes on stays as it was written. */
export function asTexts(schema: StructuralSchema): StructuralSchema {
  const { format: _format, properties, items, additionalProperties, ...rest } = schema;
  return {
    ...rest,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, field]) => [name, asTexts(field)]),
          ),
        }),
    ...(items === undefined ? {} : { items: asTexts(items) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === "boolean" ? additionalProperties : asTexts(additionalProperties),
        }),
  };
}
