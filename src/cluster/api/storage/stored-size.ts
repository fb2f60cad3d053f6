// How large an object is in the storage of the real server, which refuses what is larger than etcd takes in one request. Custom resources, and
// what defines types, are JSON there, all others protobuf. Of the latter the size is a little less than it is, as empty fields are not counted.
import { isJsonArray, isJsonObject } from "../../../schema/json-value.ts";
import {
  additionalSchema,
  propertySchema,
  type StructuralSchema,
} from "../../../schema/structural-schema.ts";
import type { ApiObject } from "../api-object.ts";
import type { ServedType } from "../served-type.ts";
import { StatusError } from "../status-error.ts";

/** What etcd takes in one request by default, and what its client sends. */
const [largestRequest, largestMessage] = [1_572_864, 2_097_152];

/** About how many bytes etcd adds to a message. */
const requestHead = 20;

/** Built-in types that are stored as JSON. */
const storedAsJson: ReadonlySet<string> = new Set([
  "customresourcedefinitions.apiextensions.k8s.io",
  "apiservices.apiregistration.k8s.io",
]);

/** Why the real server could not store an object; undefined if it can. */
export function whyTooLarge(type: ServedType, object: ApiObject): StatusError | undefined {
  if (mostBytes(object, largestRequest) < largestRequest) return undefined;
  const { namespace = "", name } = object.metadata;
  const key = `/registry/${type.storageKey}/${namespace === "" ? "" : `${namespace}/`}${name}`;
  // The key is compared, and then written beside the value.
  const message = valueSize(type, object) + 2 * Buffer.byteLength(key) + 25;
  if (message > largestMessage) {
    const text = `trying to send message larger than max (${message} vs. ${largestMessage})`;
    return new StatusError(500, undefined, `rpc error: code = ResourceExhausted desc = ${text}`);
  }
  if (message + requestHead <= largestRequest) return undefined;
  return new StatusError(500, undefined, "etcdserver: request is too large");
}

function valueSize(type: ServedType, object: ApiObject): number {
  const { apiVersion, kind, ...content } = object;
  const { resourceVersion: _, ...metadata } = object.metadata;
  if (type.custom || storedAsJson.has(type.storageKey)) return jsonSize({ ...object, metadata }) + 1;
  const envelope = 8 + delimited(textSize(apiVersion) + textSize(kind));
  return envelope + delimited(structSize(type.schema, { ...content, metadata }));
}

/** As Go writes JSON: what could end a script is escaped. */
function jsonSize(value: unknown): number {
  const text = JSON.stringify(value);
  let size = Buffer.byteLength(text);
  for (const [escaped] of text.matchAll(/[<>&\u2028\u2029]/g)) size += escaped < "\u2028" ? 5 : 3;
  return size;
}

function structSize(schema: StructuralSchema, value: object): number {
  let size = 0;
  for (const [name, each] of Object.entries(value))
    size += fieldSize(propertySchema(schema, name) ?? {}, each);
  return size;
}

/** A field with its number, and its length where it has one. */
function fieldSize(schema: StructuralSchema, value: unknown): number {
  if (value === null || value === undefined) return 0;
  if (typeof value === "boolean") return 2;
  if (typeof value === "number") {
    return schema.format === "int-or-string"
      ? delimited(8)
      : schema.type === "number"
        ? 9
        : 1 + varint(value);
  }
  if (typeof value === "string") return delimited(stringSize(schema, value));
  if (isJsonArray(value))
    return value.reduce<number>((sum, each) => sum + fieldSize(schema.items ?? {}, each), 0);
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) return delimited(delimited(jsonSize(value)));
  const values = additionalSchema(schema);
  if (values === undefined || !isJsonObject(value)) return delimited(structSize(schema, value));
  return Object.entries(value).reduce(
    (sum, [name, each]) => sum + delimited(textSize(name) + fieldSize(values, each)),
    0,
  );
}

function stringSize({ format }: StructuralSchema, text: string): number {
  switch (format) {
    case "byte":
      return Math.floor((text.length * 3) / 4);
    case "date-time":
    case "micro-time":
      return 8;
    case "quantity":
      return textSize(text);
    case "int-or-string":
      return 4 + textSize(text);
    case undefined:
    default:
      return Buffer.byteLength(text);
  }
}

function textSize(text: string): number {
  return delimited(Buffer.byteLength(text));
}

function delimited(size: number): number {
  return 1 + varint(size) + size;
}

function varint(value: number): number {
  if (value < 0) return 10;
  let size = 1;
  for (let rest = value; rest >= 128; rest /= 128) size += 1;
  return size;
}

/** How many bytes a value takes as JSON at most, counted no further than a limit: most objects are far from it. */
function mostBytes(value: unknown, limit: number): number {
  if (typeof value === "string") return 2 + 6 * value.length;
  if (typeof value !== "object" || value === null) return 25;
  let size = 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && size < limit; index += 1)
      size += 1 + mostBytes(value[index], limit);
    return size;
  }
  for (const name in value) {
    size += 4 + 6 * name.length + mostBytes((value as Record<string, unknown>)[name], limit);
    if (size >= limit) break;
  }
  return size;
}
