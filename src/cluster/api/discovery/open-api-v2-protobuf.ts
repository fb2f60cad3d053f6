// The OpenAPI v2 document as clients of Kubernetes' own library ask for it: the message `Document` of github.com/google/gnostic,
// openapiv2/OpenAPIv2.proto. What this server's document has is written down, and of the documents of other servers as much.
import { isFields, type Fields } from "../api-object.ts";
import {
  doubleField,
  message,
  messageField,
  numberField,
  textField,
  toBytes,
  type WireMessage,
} from "../protobuf/wire-writer.ts";

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
  const whole = message(
    textField(1, document.swagger),
    messageField(2, message(textField(1, info.title), textField(2, info.version))),
    messageField(8, message(...named(document.paths, pathItem).map((each) => messageField(2, each)))),
    messageField(9, message(...named(document.definitions, schemaOf).map((each) => messageField(1, each)))),
  );
  return toBytes(whole);
}

/** Each field as a message of its name and its value; what is no object is left out. */
function named(fields: unknown, encode: (value: Fields) => WireMessage): readonly WireMessage[] {
  return entriesOf(fields).flatMap(([name, value]) =>
    isFields(value) ? [message(textField(1, name), messageField(2, encode(value)))] : [],
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
      return isFields(operation) ? messageField(Number(number), operationOf(operation)) : undefined;
    }),
    ...parametersOf(item["parameters"]).map((each) => messageField(9, each)),
  );
}

function operationOf(operation: Fields): WireMessage {
  return message(
    ...texts(operation["tags"]).map((each) => textField(1, each)),
    textField(3, text(operation["description"])),
    textField(5, text(operation["operationId"])),
    ...texts(operation["produces"]).map((each) => textField(6, each)),
    ...texts(operation["consumes"]).map((each) => textField(7, each)),
    ...parametersOf(operation["parameters"]).map((each) => messageField(8, each)),
    messageField(
      9,
      message(...named(operation["responses"], responseOf).map((each) => messageField(1, each))),
    ),
    ...texts(operation["schemes"]).map((each) => textField(10, each)),
    ...extensionsOf(operation).map((each) => messageField(13, each)),
  );
}

function responseOf({ description, schema }: Fields): WireMessage {
  const described = textField(1, text(description) ?? "");
  return message(
    messageField(
      1,
      message(
        described,
        isFields(schema) ? messageField(2, message(messageField(1, schemaOf(schema)))) : undefined,
      ),
    ),
  );
}

function parametersOf(list: unknown): readonly WireMessage[] {
  const parameters: readonly unknown[] = Array.isArray(list) ? list : [];
  return parameters.flatMap((each) => {
    if (!isFields(each)) return [];
    const { $ref: reference } = each;
    if (typeof reference === "string") return [message(messageField(2, message(textField(1, reference))))];
    return [message(messageField(1, parameterOf(each)))];
  });
}

/** Headers and forms are not used by API servers. */
function parameterOf(parameter: Fields): WireMessage {
  const { name, in: place, required, description, type, uniqueItems, schema } = parameter;
  if (place === "body") {
    return message(
      messageField(
        1,
        message(
          textField(1, text(description)),
          textField(2, text(name)),
          textField(3, place),
          numberField(4, flag(required)),
          isFields(schema) ? messageField(5, schemaOf(schema)) : undefined,
        ),
      ),
    );
  }
  const isPath = place === "path";
  const inner = message(
    numberField(1, flag(required)),
    textField(2, text(place)),
    textField(3, text(description)),
    textField(4, text(name)),
    textField(isPath ? 5 : 6, text(type)),
    numberField(isPath ? 19 : 20, flag(uniqueItems)),
  );
  return message(messageField(2, message(messageField(isPath ? 4 : 3, inner))));
}

function schemaOf(schema: Fields): WireMessage {
  const { type, items, properties, additionalProperties: open, allOf } = schema;
  const others: readonly unknown[] = Array.isArray(allOf) ? allOf : [];
  const given: readonly unknown[] = Array.isArray(schema["enum"]) ? schema["enum"] : [];
  return message(
    textField(1, text(schema["$ref"])),
    textField(2, text(schema["format"])),
    textField(3, text(schema["title"])),
    textField(4, text(schema["description"])),
    doubleField(6, decimal(schema["multipleOf"])),
    doubleField(7, decimal(schema["maximum"])),
    numberField(8, flag(schema["exclusiveMaximum"])),
    doubleField(9, decimal(schema["minimum"])),
    numberField(10, flag(schema["exclusiveMinimum"])),
    numberField(11, decimal(schema["maxLength"])),
    numberField(12, decimal(schema["minLength"])),
    textField(13, text(schema["pattern"])),
    numberField(14, decimal(schema["maxItems"])),
    numberField(15, decimal(schema["minItems"])),
    numberField(16, flag(schema["uniqueItems"])),
    numberField(17, decimal(schema["maxProperties"])),
    numberField(18, decimal(schema["minProperties"])),
    ...texts(schema["required"]).map((each) => textField(19, each)),
    ...given.map((each) => messageField(20, asYaml(each))),
    isFields(open)
      ? messageField(21, message(messageField(1, schemaOf(open))))
      : typeof open === "boolean"
        ? messageField(21, message(numberField(2, open)))
        : undefined,
    typeof type === "string" ? messageField(22, message(textField(1, type))) : undefined,
    isFields(items) ? messageField(23, message(messageField(1, schemaOf(items)))) : undefined,
    ...others.map((each) => (isFields(each) ? messageField(24, schemaOf(each)) : undefined)),
    isFields(properties)
      ? messageField(25, message(...named(properties, schemaOf).map((each) => messageField(1, each))))
      : undefined,
    ...extensionsOf(schema).map((each) => messageField(31, each)),
  );
}

/** What begins with `x-`: the value as YAML. */
function extensionsOf(fields: Fields): readonly WireMessage[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    name.startsWith("x-") && value !== undefined
      ? [message(textField(1, name), messageField(2, asYaml(value)))]
      : [],
  );
}

/** JSON is YAML, and costs a hundredth. */
function asYaml(value: unknown): WireMessage {
  return message(textField(2, `${JSON.stringify(value)}\n`));
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
