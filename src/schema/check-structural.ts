// Says why a CRD's schema is not one that the API server accepts: not structural, contradictory, with defaults or rules that cannot work.
// Called when a CRD is created or changed, once per version; texts and fields are kube-apiserver's.
import { checkRuleDeclarations } from "./cel/check-rule-declarations.ts";
import { checkDefault } from "./check-default.ts";
import { checkExtensions } from "./check-extensions.ts";
import { isJsonArray, isJsonObject } from "./json-value.ts";
import { messageOf } from "../ports/operator-error.ts";
import { forbiddenValue, invalidValue, requiredValue, unsupportedValue } from "./status-cause.ts";
import type { StatusCause } from "./status-cause.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { regularExpression } from "./regular-expression.ts";

/** Keywords of JSON schema that structural schemas do not have. */
const unsupportedKeywords = [
  "$ref",
  "id",
  "definitions",
  "patternProperties",
  "dependencies",
  "additionalItems",
];
const types = ["array", "boolean", "integer", "number", "object", "string"];

/** What a validation inside allOf, anyOf, oneOf or not may not say, and how the server complains. */
const structuralKeywords = {
  type: "must be empty to be structural",
  title: "must be empty to be structural",
  description: "must be empty to be structural",
  default: "must be undefined to be structural",
  nullable: "must be false to be structural",
  additionalProperties: "must be undefined to be structural",
  "x-kubernetes-preserve-unknown-fields": "must be false to be structural",
  "x-kubernetes-embedded-resource": "must be false to be structural",
  "x-kubernetes-int-or-string": "must be false to be structural",
  "x-kubernetes-list-type": "must be undefined to be structural",
  "x-kubernetes-list-map-keys": "must be empty to be structural",
  "x-kubernetes-map-type": "must be undefined to be structural",
  "x-kubernetes-validations": "must be empty to be structural",
} as const;

/**
 * Every reason to refuse a CRD's schema; empty when it is fine.
 *
 * @param field Path of the schema within the CRD. With a single version the server says `spec.validation.openAPIV3Schema`.
 */
export function checkStructural(schema: StructuralSchema, field: string): readonly StatusCause[] {
  const structural = [...checkNode(schema, { field, role: "root" }), ...checkResourceFields(schema, field)];
  if (structural.length > 0) return structural;
  return [...checkDefault(schema, field), ...checkRuleDeclarations(schema, field)];
}

type Role = "root" | "field" | "item" | "validation";

interface Place {
  readonly field: string;
  readonly role: Role;
  /** Whether this spells out an int-or-string, as `anyOf: [{type: integer}, {type: string}]`. */
  readonly spellsIntOrString?: boolean;
}

function checkNode(schema: StructuralSchema, place: Place): StatusCause[] {
  const { field, role } = place;
  const own =
    role === "validation"
      ? Object.entries(structuralKeywords)
          .filter(([name]) => isSaid(schema, name) && !(name === "type" && place.spellsIntOrString === true))
          .map(([name, complaint]) => forbiddenValue(`${field}.${name}`, complaint))
      : [...checkType(schema, place), ...checkExtensions(schema, field)];
  return [...own, ...checkKeywords(schema, field), ...checkBelow(schema, place)];
}

function checkBelow(schema: StructuralSchema, { field, role, spellsIntOrString }: Place): StatusCause[] {
  const spells = spellsIntOrString === true || schema["x-kubernetes-int-or-string"] === true;
  const fieldRole: Role = role === "validation" ? role : "field";
  const itemRole: Role = role === "validation" ? role : "item";
  const { properties = {}, additionalProperties, items } = schema;
  const below = (child: StructuralSchema, step: string, childRole: Role): StatusCause[] =>
    checkNode(child, { field: `${field}.${step}`, role: childRole });
  return [
    ...Object.entries(properties).flatMap(([name, child]) => below(child, `properties[${name}]`, fieldRole)),
    ...(typeof additionalProperties === "object"
      ? below(additionalProperties, "additionalProperties", fieldRole)
      : []),
    ...(isSchema(items) ? below(items, "items", itemRole) : []),
    ...(["allOf", "anyOf", "oneOf"] as const).flatMap((name) =>
      (schema[name] ?? []).flatMap((child, index) =>
        checkNode(child, {
          field: `${field}.${name}[${index}]`,
          role: "validation",
          spellsIntOrString: spells && name !== "oneOf",
        }),
      ),
    ),
    ...(schema.not === undefined ? [] : below(schema.not, "not", "validation")),
  ];
}

function checkType(schema: StructuralSchema, { field, role }: Place): StatusCause[] {
  const { type = "" } = schema;
  if (role === "root" && type !== "object") {
    return [
      type === ""
        ? requiredValue(`${field}.type`, "must not be empty at the root")
        : invalidValue(`${field}.type`, type, "must be object at the root"),
    ];
  }
  if (type !== "" && !types.includes(type)) return [unsupportedValue(`${field}.type`, type, types)];
  const mayBeOpen =
    schema["x-kubernetes-int-or-string"] === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (Object.hasOwn(schema, "$ref")) return [];
  if (type === "" && !mayBeOpen) {
    const what = role === "item" ? "array items" : "object fields";
    return [requiredValue(`${field}.type`, `must not be empty for specified ${what}`)];
  }
  return type === "array" && schema.items === undefined
    ? [requiredValue(`${field}.items`, "must be specified")]
    : [];
}

function checkKeywords(schema: StructuralSchema, field: string): StatusCause[] {
  const causes = unsupportedKeywords
    .filter((name) => Object.hasOwn(schema, name))
    .map((name) => forbiddenValue(`${field}.${name}`, `${name} is not supported`));
  if (schema.uniqueItems === true) {
    const detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    causes.push(forbiddenValue(`${field}.uniqueItems`, detail));
  }
  if (isJsonArray(schema.items)) {
    causes.push(forbiddenValue(`${field}.items`, "items must be a schema object and not an array"));
  }
  if (schema.properties !== undefined && typeof schema.additionalProperties === "object") {
    const detail = "additionalProperties and properties are mutual exclusive";
    causes.push(forbiddenValue(`${field}.additionalProperties`, detail));
  }
  return [...causes, ...checkPattern(schema, field)];
}

function checkPattern({ pattern }: StructuralSchema, field: string): StatusCause[] {
  if (pattern === undefined) return [];
  try {
    regularExpression(pattern);
    return [];
  } catch (error) {
    const detail = `must be a valid regular expression, but isn't: ${messageOf(error)}`;
    return [invalidValue(`${field}.pattern`, pattern, detail)];
  }
}

/** What may be said of the metadata of a resource. */
const namesOnly = new Set(["type", "properties", "default"]);

/** The root may narrow what every resource has, but not redefine it. */
function checkResourceFields(schema: StructuralSchema, field: string): StatusCause[] {
  const { apiVersion, kind, metadata } = schema.properties ?? {};
  const causes: StatusCause[] = [];
  for (const [name, property] of Object.entries({ apiVersion, kind })) {
    if (property !== undefined && property.type !== "string") {
      causes.push(invalidValue(`${field}.properties[${name}].type`, property.type, "must be string"));
    }
  }
  if (metadata === undefined) return causes;
  const place = `${field}.properties[metadata]`;
  if (metadata.type !== "object") {
    causes.push(invalidValue(`${place}.type`, metadata.type, "must be object"));
  }
  if (metadata.default !== undefined) {
    causes.push(forbiddenValue(`${place}.default`, "must not be set in top-level metadata"));
  }
  const names = Object.entries(metadata.properties ?? {});
  const saysMore = Object.keys(metadata).some((key) => !namesOnly.has(key) && isSaid(metadata, key));
  if (saysMore || names.some(([name]) => name !== "name" && name !== "generateName")) {
    const detail =
      "must not specify anything other than name and generateName, but metadata is implicitly specified";
    causes.push(forbiddenValue(place, detail));
  }
  for (const [name, property] of names) {
    if (property.default !== undefined) {
      const detail = "must not be set in top-level metadata";
      causes.push(forbiddenValue(`${place}.properties[${name}].default`, detail));
    }
  }
  return causes;
}

function isSaid(schema: StructuralSchema, name: string): boolean {
  const value: unknown = Object.hasOwn(schema, name) ? Reflect.get(schema, name) : undefined;
  return value !== undefined && value !== false && value !== "";
}

function isSchema(value: unknown): value is StructuralSchema {
  return isJsonObject(value);
}
