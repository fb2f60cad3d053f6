// Turns an object in Kubernetes' protobuf form into JSON: kubectl sends built-in types that way in `kubectl create KIND`.
// The tables of the built-in types hold the numbers of the fields.
import { setField } from "../../../schema/json-value.ts";
import { OperatorError } from "../../../ports/operator-error.ts";
import type { StructuralSchema } from "../../../schema/structural-schema.ts";
import type { Fields } from "../api-object.ts";
import { builtinSchema, fieldNumbersOf, nameOfBuiltinSchema } from "../builtin/builtin-schemas.ts";
import { readMessage, type WireField } from "./wire-reader.ts";

const magic = Buffer.from("k8s\u0000");

/** The envelope around every object. */
export interface ProtobufEnvelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Buffer;
}

/** Whether bytes start as those of an object do. */
export function startsLikeObject(bytes: Buffer): boolean {
  return bytes.subarray(0, 4).equals(magic);
}

/** Opens the envelope. Errors: `PROTOBUF_INVALID`. */
export function openEnvelope(bytes: Buffer): ProtobufEnvelope {
  if (!startsLikeObject(bytes)) {
    throw new OperatorError("PROTOBUF_INVALID", "the body does not start like a Kubernetes object", {
      remedy: "Send the body as JSON.",
    });
  }
  const fields = readMessage(bytes.subarray(4));
  const type = readMessage(bytesOf(fields, 1));
  return {
    apiVersion: bytesOf(type, 1).toString(),
    kind: bytesOf(type, 2).toString(),
    raw: bytesOf(fields, 2),
  };
}

/** An object of a built-in type as JSON. Errors: `PROTOBUF_INVALID`. */
export function decodeObject(schema: StructuralSchema, { apiVersion, kind, raw }: ProtobufEnvelope): Fields {
  return { apiVersion, kind, ...decodeStruct(schema, raw) };
}

function decodeStruct(schema: StructuralSchema, bytes: Buffer): Fields {
  const numbers = fieldNumbersOf(schema) ?? new Map<string, string>();
  const own = messagesOf[nameOfBuiltinSchema(schema) ?? ""] ?? {};
  const object: Fields = {};
  const read = (fields: readonly WireField[], prefix: string): void => {
    for (const { number, value } of fields) {
      const path = `${prefix}${number}`;
      const name = numbers.get(path);
      const property = name === undefined ? undefined : schema.properties?.[name];
      if (name !== undefined && property !== undefined) addField(object, name, property, value, own[name]);
      // An inlined message: its fields are the struct's own.
      else if (typeof value !== "bigint" && hasBelow(numbers, path)) read(readMessage(value), `${path}.`);
    }
  };
  read(readMessage(bytes), "");
  return object;
}

function addField(
  object: Fields,
  name: string,
  schema: StructuralSchema,
  value: WireField["value"],
  own: ((message: Buffer) => unknown) | undefined,
): void {
  const decode = (each: StructuralSchema, at: WireField["value"]): unknown =>
    own === undefined || typeof at === "bigint" ? decodeValue(each, at) : own(at);
  if (schema.type === "array") {
    const list = (object[name] ??= []) as unknown[];
    list.push(decode(schema.items ?? {}, value));
  } else if (typeof schema.additionalProperties === "object" && typeof value !== "bigint") {
    const map = (object[name] ??= {}) as Fields;
    const entry = readMessage(value);
    const item = entry.find((field) => field.number === 2)?.value ?? Buffer.alloc(0);
    setField(map, bytesOf(entry, 1).toString(), decode(schema.additionalProperties, item));
  } else object[name] = decode(schema, value);
}

function decodeValue(schema: StructuralSchema, value: WireField["value"]): unknown {
  if (typeof value === "bigint") {
    return schema.type === "boolean" ? value !== 0n : Number(BigInt.asIntN(64, value));
  }
  if (schema.type === "number") return value.readDoubleLE();
  switch (schema.format) {
    case "date-time":
    case "micro-time":
      return decodeTime(value, schema.format === "micro-time");
    case "quantity":
      return bytesOf(readMessage(value), 1).toString();
    case "int-or-string": {
      const fields = readMessage(value);
      const isText = fields.some((field) => field.number === 1 && field.value === 1n);
      if (isText) return bytesOf(fields, 3).toString();
      const found = fields.find((field) => field.number === 2)?.value;
      return typeof found === "bigint" ? Number(BigInt.asIntN(32, found)) : 0;
    }
    case "byte":
      return value.toString("base64");
    case undefined:
    default:
      return decodePlain(schema, value);
  }
}

function decodePlain(schema: StructuralSchema, value: Buffer): unknown {
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) return decodeRaw(value);
  if (schema.properties !== undefined) return decodeStruct(schema, value);
  // A list in a map is wrapped in a message of its own.
  if (schema.type === "array")
    return readMessage(value).map((field) => decodeValue(schema.items ?? {}, field.value));
  return schema.type === "object" ? {} : value.toString();
}

const definitions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

/** What a field holds whose message says more than its JSON, or has another form, by the name of its struct. */
const messagesOf: Readonly<Record<string, Readonly<Record<string, (message: Buffer) => unknown>>>> = {
  [`${definitions}.CustomResourceSubresources`]: { status: () => ({}) },
  [`${definitions}.CustomResourceValidation`]: { openAPIV3Schema: decodeSchema },
  [`${definitions}.JSONSchemaProps`]: {
    items: (message) => decodeChoice(message, 1) ?? eachOf(message, 2).map(decodeSchema),
    additionalProperties: decodeSchemaOrBoolean,
    additionalItems: decodeSchemaOrBoolean,
    dependencies: (message) => decodeChoice(message, 1) ?? eachOf(message, 2).map(String),
  },
};

function decodeSchema(message: Buffer): Fields {
  return decodeStruct(builtinSchema(`${definitions}.JSONSchemaProps`), message);
}

function decodeSchemaOrBoolean(message: Buffer): unknown {
  return (
    decodeChoice(message, 2) ?? readMessage(message).some(({ number, value }) => number === 1 && value === 1n)
  );
}

/** The schema in a field of a message, if it is one that the message holds. */
function decodeChoice(message: Buffer, number: number): Fields | undefined {
  return eachOf(message, number).map(decodeSchema)[0];
}

function eachOf(message: Buffer, number: number): readonly Buffer[] {
  return readMessage(message).flatMap((field) =>
    field.number === number && typeof field.value !== "bigint" ? [field.value] : [],
  );
}

function decodeTime(bytes: Buffer, isMicro: boolean): string | null {
  const fields = readMessage(bytes);
  const numberOf = (number: number): number => {
    const found = fields.find((field) => field.number === number)?.value;
    return typeof found === "bigint" ? Number(BigInt.asIntN(64, found)) : 0;
  };
  if (fields.length === 0) return null;
  const text = new Date(numberOf(1) * 1_000).toISOString().slice(0, 19);
  const micro = String(Math.floor(numberOf(2) / 1_000)).padStart(6, "0");
  return isMicro ? `${text}.${micro}Z` : `${text}Z`;
}

/** JSON within protobuf, as in managedFields. */
function decodeRaw(bytes: Buffer): unknown {
  const raw = bytesOf(readMessage(bytes), 1);
  return raw.length === 0 ? undefined : (JSON.parse(raw.toString()) as unknown);
}

function bytesOf(fields: readonly WireField[], number: number): Buffer {
  const found = fields.find((field) => field.number === number)?.value;
  return typeof found === "bigint" || found === undefined ? Buffer.alloc(0) : found;
}

function hasBelow(numbers: ReadonlyMap<string, string>, path: string): boolean {
  return [...numbers.keys()].some((each) => each.startsWith(`${path}.`));
}
