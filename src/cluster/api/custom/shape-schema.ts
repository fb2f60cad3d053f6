// Reads the schema in a CustomResourceDefinition into its shape, as decoding into the real server's struct does: unknown fields
// fall out and are reported, nulls too, and a value of the wrong type is an error. Everything that reads schemas relies on it.
import { setField } from "../../../schema/json-value.ts";
import { isFields, type Fields } from "../api-object.ts";
import type { ShapedObject } from "../builtin/shape-object.ts";

/** What a field of a schema holds. */
type FieldKind =
  | "string"
  | "number"
  | "integer"
  | "boolean"
  | "any"
  | "list"
  | "strings"
  | "object"
  | "schema"
  | "schemas"
  | "schemaList"
  | "schemaOrBoolean"
  | "schemaOrList"
  | "rules";

/** The fields of a schema, in their order. */
const fields = inOrder(
  `id string, $schema string, $ref string, description string, type string, format string, title string, default any,
  maximum number, exclusiveMaximum boolean, minimum number, exclusiveMinimum boolean, maxLength integer, minLength integer,
  pattern string, maxItems integer, minItems integer, uniqueItems boolean, multipleOf number, enum list,
  maxProperties integer, minProperties integer, required strings, items schemaOrList, allOf schemaList, oneOf schemaList,
  anyOf schemaList, not schema, properties schemas, additionalProperties schemaOrBoolean, patternProperties schemas,
  dependencies any, additionalItems schemaOrBoolean, definitions schemas, externalDocs object, example any, nullable boolean,
  x-kubernetes-preserve-unknown-fields boolean, x-kubernetes-embedded-resource boolean,
  x-kubernetes-int-or-string boolean, x-kubernetes-list-map-keys strings, x-kubernetes-list-type string,
  x-kubernetes-map-type string, x-kubernetes-validations rules`,
);

const ruleFields = inOrder(
  "rule string, message string, messageExpression string, reason string, fieldPath string, optionalOldSelf boolean",
);

function inOrder(said: string): ReadonlyMap<string, FieldKind> {
  return new Map(said.split(/,\s+/).map((field) => field.split(" ") as [string, FieldKind]));
}

const goTypes: Partial<Record<FieldKind, string>> = {
  string: "string",
  number: "float64",
  integer: "int64",
  boolean: "bool",
  list: "[]v1.JSON",
  strings: "[]string",
  schemas: "map[string]v1.JSONSchemaProps",
  schemaList: "[]v1.JSONSchemaProps",
  rules: "v1.ValidationRules",
};

/** Fields that are there even if they are empty or false: pointers in the real server's struct. */
const kept = new Set([
  "$ref",
  "x-kubernetes-list-type",
  "x-kubernetes-map-type",
  "x-kubernetes-preserve-unknown-fields",
  "reason",
  "optionalOldSelf",
]);

/** Whether a field is not written: one that is no pointer and says nothing. */
function isLeftOut(name: string, kind: FieldKind, value: unknown): boolean {
  if (kept.has(name)) return false;
  if (kind === "string") return value === "" && name !== "rule";
  if (kind === "boolean") return value === false;
  if (Array.isArray(value)) return value.length === 0 && kind !== "schemaOrList";
  const isMap = kind === "schemas" || name === "dependencies";
  return isMap && isFields(value) && Object.keys(value).length === 0;
}

/** Reads a schema; `path` is where it stands in its definition. */
export function shapeSchema(schema: unknown, path: string): Omit<ShapedObject, "typeFaults"> {
  const reader = new SchemaReader();
  const value = reader.read("schema", schema, path);
  return { value, unknownFields: reader.unknownFields, typeErrors: reader.typeErrors };
}

class SchemaReader {
  readonly unknownFields: string[] = [];
  readonly typeErrors: string[] = [];

  read(kind: FieldKind, given: unknown, path: string): unknown {
    switch (kind) {
      case "any":
        return given;
      case "string":
        return typeof given === "string" ? given : this.#fail(kind, given, path);
      case "number":
        return typeof given === "number" ? given : this.#fail(kind, given, path);
      case "integer":
        return Number.isInteger(given) ? given : this.#fail(kind, given, path);
      case "boolean":
        return typeof given === "boolean" ? given : this.#fail(kind, given, path);
      case "list":
        return Array.isArray(given) ? given : this.#fail(kind, given, path);
      case "object":
        return isFields(given) ? given : this.#fail(kind, given, path);
      case "strings":
        return this.#readList(kind, "string", given, path);
      case "schema":
        return this.#readStruct(fields, given, path);
      case "schemaList":
        return this.#readList(kind, "schema", given, path);
      case "schemas":
        return this.#readSchemas(given, path);
      case "schemaOrBoolean":
        return typeof given === "boolean" ? given : this.read("schema", given, path);
      case "schemaOrList":
        return this.read(Array.isArray(given) ? "schemaList" : "schema", given, path);
      case "rules":
      default:
        if (!Array.isArray(given)) return this.#fail(kind, given, path);
        return given.map((rule, index) => this.#readStruct(ruleFields, rule, `${path}[${index}]`));
    }
  }

  #readStruct(known: ReadonlyMap<string, FieldKind>, given: unknown, path: string): unknown {
    if (given === null) return {};
    if (!isFields(given)) return this.#fail("schema", given, path);
    for (const name of Object.keys(given)) {
      if (!known.has(name)) this.unknownFields.push(`${path}.${name}`);
    }
    const shaped: Fields = {};
    for (const [name, kind] of known) {
      const child = Object.hasOwn(given, name) ? given[name] : null;
      if (child === null || child === undefined) continue;
      const value = this.read(kind, child, `${path}.${name}`);
      if (!isLeftOut(name, kind, value)) setField(shaped, name, value);
    }
    return shaped;
  }

  #readSchemas(given: unknown, path: string): unknown {
    if (!isFields(given)) return this.#fail("schemas", given, path);
    const shaped: Fields = {};
    for (const [name, child] of Object.entries(given).toSorted(([one], [other]) => (one < other ? -1 : 1))) {
      setField(shaped, name, this.read("schema", child, `${path}.${name}`));
    }
    return shaped;
  }

  #readList(kind: FieldKind, item: FieldKind, given: unknown, path: string): unknown {
    if (!Array.isArray(given)) return this.#fail(kind, given, path);
    return given.map((each, index) =>
      each === null && item === "string" ? "" : this.read(item, each, `${path}[${index}]`),
    );
  }

  #fail(kind: FieldKind, given: unknown, path: string): undefined {
    const found = Array.isArray(given) ? "array" : typeof given === "boolean" ? "bool" : typeof given;
    this.typeErrors.push(
      `json: cannot unmarshal ${found} into Go struct field JSONSchemaProps.${path} of type ${goTypes[kind] ?? "v1.JSONSchemaProps"}`,
    );
    return undefined;
  }
}
