// The OpenAPI v2 document as clients of Kubernetes' own library ask for it: the message `Document` of github.com/google/gnostic,
// openapiv2/OpenAPIv2.proto. What this server's document has is written down, and of the documents of other servers as much.
import { stringify } from "yaml";
import { isFields, type Fields } from "../api-object.ts";
import { bytesField, doubleField, message, numberField, type WireMessage } from "../protobuf/wire-writer.ts";

/** The media type of the form. */
export const openApiV2ProtobufType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/** The document as protobuf. */
export function encodeOpenApiV2(document: {
  readonly swagger: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Fields;
  readonly definitions: Fields;
}): Buffer {
  const { info } = document;
  return message(
    bytesField(1, document.swagger),
    bytesField(2, message(bytesField(1, info.title), bytesField(2, info.version))),
    bytesField(8, message(...named(document.paths, pathItem).map((each) => bytesField(2, each)))),
    bytesField(9, message(...named(document.definitions, schemaOf).map((each) => bytesField(1, each)))),
  );
}

/** Each field as a message of its name and its value; what is no object is left out. */
function named(fields: unknown, encode: (value: Fields) => WireMessage): readonly WireMessage[] {
  return entriesOf(fields).flatMap(([name, value]) =>
    isFields(value) ? [message(bytesField(1, name), bytesField(2, encode(value)))] : [],
  );
}

function entriesOf(fields: unknown): readonly (readonly [string, unknown])[] {
  return isFields(fields) ? Object.entries(fields) : [];
}

const methods: Readonly<Record<string, number>> = {
  get: 2,
  put: 3,
  post: 4,
  delete: 5,
  options: 6,
  head: 7,
  patch: 8,
};

function pathItem(item: Fields): WireMessage {
  return message(
    ...entriesOf(methods).map(([method, number]) => {
      const operation = item[method];
      return isFields(operation) ? bytesField(Number(number), operationOf(operation)) : undefined;
    }),
    ...parametersOf(item["parameters"]).map((each) => bytesField(9, each)),
  );
}

function operationOf(operation: Fields): WireMessage {
  return message(
    ...texts(operation["tags"]).map((each) => bytesField(1, each)),
    bytesField(3, text(operation["description"])),
    bytesField(5, text(operation["operationId"])),
    ...texts(operation["produces"]).map((each) => bytesField(6, each)),
    ...texts(operation["consumes"]).map((each) => bytesField(7, each)),
    ...parametersOf(operation["parameters"]).map((each) => bytesField(8, each)),
    bytesField(9, message(...named(operation["responses"], responseOf).map((each) => bytesField(1, each)))),
    ...texts(operation["schemes"]).map((each) => bytesField(10, each)),
    ...extensionsOf(operation).map((each) => bytesField(13, each)),
  );
}

function responseOf({ description, schema }: Fields): WireMessage {
  const described = bytesField(1, text(description) ?? "");
  return message(
    bytesField(
      1,
      message(
        described,
        isFields(schema) ? bytesField(2, message(bytesField(1, schemaOf(schema)))) : undefined,
      ),
    ),
  );
}

function parametersOf(list: unknown): readonly WireMessage[] {
  const parameters: readonly unknown[] = Array.isArray(list) ? list : [];
  return parameters.flatMap((each) => {
    if (!isFields(each)) return [];
    const { $ref: reference } = each;
    if (typeof reference === "string") return [message(bytesField(2, message(bytesField(1, reference))))];
    return [message(bytesField(1, parameterOf(each)))];
  });
}

/** Headers and forms are not used by API servers. */
function parameterOf(parameter: Fields): WireMessage {
  const { name, in: place, required, description, type, uniqueItems, schema } = parameter;
  if (place === "body") {
    return message(
      bytesField(
        1,
        message(
          bytesField(1, text(description)),
          bytesField(2, text(name)),
          bytesField(3, place),
          numberField(4, flag(required)),
          isFields(schema) ? bytesField(5, schemaOf(schema)) : undefined,
        ),
      ),
    );
  }
  const isPath = place === "path";
  const inner = message(
    numberField(1, flag(required)),
    bytesField(2, text(place)),
    bytesField(3, text(description)),
    bytesField(4, text(name)),
    bytesField(isPath ? 5 : 6, text(type)),
    numberField(isPath ? 19 : 20, flag(uniqueItems)),
  );
  return message(bytesField(2, message(bytesField(isPath ? 4 : 3, inner))));
}

function schemaOf(schema: Fields): WireMessage {
  const { type, items, properties, additionalProperties: open, allOf } = schema;
  const others: readonly unknown[] = Array.isArray(allOf) ? allOf : [];
  const given: readonly unknown[] = Array.isArray(schema["enum"]) ? schema["enum"] : [];
  return message(
    bytesField(1, text(schema["$ref"])),
    bytesField(2, text(schema["format"])),
    bytesField(3, text(schema["title"])),
    bytesField(4, text(schema["description"])),
    doubleField(6, decimal(schema["multipleOf"])),
    doubleField(7, decimal(schema["maximum"])),
    numberField(8, flag(schema["exclusiveMaximum"])),
    doubleField(9, decimal(schema["minimum"])),
    numberField(10, flag(schema["exclusiveMinimum"])),
    numberField(11, decimal(schema["maxLength"])),
    numberField(12, decimal(schema["minLength"])),
    bytesField(13, text(schema["pattern"])),
    numberField(14, decimal(schema["maxItems"])),
    numberField(15, decimal(schema["minItems"])),
    numberField(16, flag(schema["uniqueItems"])),
    numberField(17, decimal(schema["maxProperties"])),
    numberField(18, decimal(schema["minProperties"])),
    ...texts(schema["required"]).map((each) => bytesField(19, each)),
    ...given.map((each) => bytesField(20, asYaml(each))),
    isFields(open)
      ? bytesField(21, message(bytesField(1, schemaOf(open))))
      : typeof open === "boolean"
        ? bytesField(21, message(numberField(2, open)))
        : undefined,
    typeof type === "string" ? bytesField(22, message(bytesField(1, type))) : undefined,
    isFields(items) ? bytesField(23, message(bytesField(1, schemaOf(items)))) : undefined,
    ...others.map((each) => (isFields(each) ? bytesField(24, schemaOf(each)) : undefined)),
    isFields(properties)
      ? bytesField(25, message(...named(properties, schemaOf).map((each) => bytesField(1, each))))
      : undefined,
    ...extensionsOf(schema).map((each) => bytesField(31, each)),
  );
}

/** What begins with `x-`: the value as YAML. */
function extensionsOf(fields: Fields): readonly WireMessage[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    name.startsWith("x-") && value !== undefined
      ? [message(bytesField(1, name), bytesField(2, asYaml(value)))]
      : [],
  );
}

function asYaml(value: unknown): WireMessage {
  return message(bytesField(2, stringify(value)));
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}

function decimal(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function flag(value: unknown): boolean | undefined {
  return value === true ? true : undefined;
}
