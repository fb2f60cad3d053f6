// Schemas as CEL types and JSON as values of those types: integers become 64-bit, dates and durations their own types,
// objects with properties messages of which only the declared fields can be reached.
// Used by rule compilation, once per rule-bearing schema node.
import { celEqual } from "./cel-equality.ts";
import { parse } from "@marcbachmann/cel-js";
import type { Environment } from "@marcbachmann/cel-js";
import { fieldOf, isJsonArray, isJsonObject } from "../json-value.ts";
import { additionalSchema } from "../structural-schema.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { celFieldNames, type FieldNaming } from "./field-names.ts";

/** A type declared in an environment. */
export interface CelType {
  /** How declarations name it, such as `list<string>`. */
  readonly name: string;
  /** A JSON value as a value of this type. */
  toCel(value: unknown): unknown;
}

const toDuration = parse("duration(text)");
const toTimestamp = parse("timestamp(text)");
const toBytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "base64"));

/** The type of values of which nothing is declared. */
export const dynamicType: CelType = { name: "dyn", toCel: toDynamic };
const int: CelType = {
  name: "int",
  toCel: (value) => (Number.isInteger(value) ? BigInt(Number(value)) : value),
};
const resourceFields: Readonly<Record<string, StructuralSchema>> = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: {
    type: "object",
    properties: { name: { type: "string" }, generateName: { type: "string" } },
  },
};

/**
 * Declares the type of a schema, and those inside it, under a name.
 * Undefined for a node without a type: rules cannot reach it.
 */
export function declareType(
  environment: Environment,
  schema: StructuralSchema,
  name: string,
  naming: FieldNaming = celFieldNames,
): CelType | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) return dynamicType;
  switch (schema.type) {
    case "integer":
      return int;
    case "number":
      return { name: "double", toCel: identity };
    case "boolean":
      return { name: "bool", toCel: identity };
    case "string":
      return stringType(schema.format);
    case "array":
      return listType(environment, schema, name, naming);
    case "object":
      return objectType(environment, schema, name, naming);
    case undefined:
    default:
      return undefined;
  }
}

function stringType(format: string | undefined): CelType {
  const parsed = (name: string, read: (text: string) => unknown): CelType => ({
    name,
    toCel: (value) => (typeof value === "string" ? read(value) : value),
  });
  if (format === "byte") return parsed("bytes", toBytes);
  if (format === "duration")
    return parsed("google.protobuf.Duration", (text) => toDuration({ text }) as unknown);
  if (format === "date-time") {
    return parsed("google.protobuf.Timestamp", (text) => toTimestamp({ text }) as unknown);
  }
  if (format === "date") {
    return parsed(
      "google.protobuf.Timestamp",
      (text) => toTimestamp({ text: `${text}T00:00:00Z` }) as unknown,
    );
  }
  return { name: "string", toCel: identity };
}

function listType(
  environment: Environment,
  schema: StructuralSchema,
  name: string,
  naming: FieldNaming,
): CelType | undefined {
  const { items } = schema;
  const item = items === undefined ? undefined : declareType(environment, items, `${name}.item`, naming);
  if (item === undefined) return undefined;
  return {
    name: `list<${item.name}>`,
    toCel: (value) => (isJsonArray(value) ? value.map((each) => item.toCel(each)) : value),
  };
}

function objectType(
  environment: Environment,
  schema: StructuralSchema,
  name: string,
  naming: FieldNaming,
): CelType | undefined {
  const additional = additionalSchema(schema);
  if (schema.properties === undefined && additional !== undefined) {
    const entry = declareType(environment, additional, `${name}.entry`, naming);
    if (entry === undefined) return undefined;
    return {
      name: `map<string, ${entry.name}>`,
      toCel: (value) =>
        isJsonObject(value)
          ? new Map(Object.entries(value).map(([key, each]) => [key, entry.toCel(each)]))
          : value,
    };
  }
  return messageType(environment, schema, name, naming);
}

function messageType(
  environment: Environment,
  schema: StructuralSchema,
  name: string,
  naming: FieldNaming,
): CelType {
  const isResource = schema["x-kubernetes-embedded-resource"] === true;
  const properties = { ...schema.properties, ...(isResource ? resourceFields : {}) };
  const fields = Object.entries(properties).flatMap(([field, fieldSchema]) => {
    const names = naming(field);
    const [first] = names;
    const type =
      first === undefined ? undefined : declareType(environment, fieldSchema, `${name}.${first}`, naming);
    return type === undefined ? [] : names.map((celName) => ({ field, celName, type }));
  });
  // One class per message type: the evaluator recognizes instances by their class.
  const Message = class {
    typeName(): string {
      return name;
    }
  };
  environment.registerType({
    name,
    ctor: Message,
    fields: Object.fromEntries(fields.map(({ celName, type }) => [celName, type.name])),
  });
  environment.registerOperator(`${name} == null`, (left: unknown) => left === null);
  environment.registerOperator(`${name} == ${name}`, (left: unknown, right: unknown) =>
    celEqual(left, right),
  );
  return {
    name,
    toCel(value) {
      if (!isJsonObject(value)) return value;
      const present = fields.flatMap(({ field, celName, type }): [string, unknown][] => {
        const child = fieldOf(value, field);
        return child === undefined || child === null ? [] : [[celName, type.toCel(child)]];
      });
      return Object.assign(new Message(), Object.fromEntries(present));
    },
  };
}

/** A JSON value whose type nothing declares. */
export function toDynamic(value: unknown): unknown {
  if (value === undefined) return null;
  if (isJsonArray(value)) return value.map(toDynamic);
  if (isJsonObject(value)) {
    return new Map(Object.entries(value).map(([key, each]) => [key, toDynamic(each)]));
  }
  return typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value;
}

function identity(value: unknown): unknown {
  return value;
}
