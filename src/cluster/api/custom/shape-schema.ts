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

const fields: ReadonlyMap<string, FieldKind> = new Map(
  Object.entries({
    string:
      "$ref $schema id title description type format pattern x-kubernetes-list-type x-kubernetes-map-type",
    number: "minimum maximum multipleOf",
    integer: "minLength maxLength minItems maxItems minProperties maxProperties",
    boolean:
      "exclusiveMinimum exclusiveMaximum nullable uniqueItems x-kubernetes-preserve-unknown-fields " +
      "x-kubernetes-embedded-resource x-kubernetes-int-or-string",
    any: "default example dependencies",
    list: "enum",
    strings: "required x-kubernetes-list-map-keys",
    object: "externalDocs",
    schema: "not",
    schemas: "properties patternProperties definitions",
    schemaList: "allOf anyOf oneOf",
    schemaOrBoolean: "additionalProperties additionalItems",
    schemaOrList: "items",
    rules: "x-kubernetes-validations",
  } satisfies Record<FieldKind, string>).flatMap(([kind, names]) =>
    names.split(" ").map((name) => [name, kind as FieldKind] as const),
  ),
);

const ruleFields: ReadonlyMap<string, FieldKind> = new Map([
  ...["rule", "message", "messageExpression", "reason", "fieldPath"].map((name) => [name, "string"] as const),
  ["optionalOldSelf", "boolean"],
]);

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
    const shaped: Fields = {};
    for (const [name, child] of Object.entries(given)) {
      const at = `${path}.${name}`;
      const kind = known.get(name);
      if (kind === undefined) this.unknownFields.push(at);
      else if (child !== null) setField(shaped, name, this.read(kind, child, at));
    }
    return shaped;
  }

  #readSchemas(given: unknown, path: string): unknown {
    if (!isFields(given)) return this.#fail("schemas", given, path);
    const shaped: Fields = {};
    for (const [name, child] of Object.entries(given)) {
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
