// Reads what every resource has, in those that are embedded in a custom one, as decoding into the real server's structs does.
import {
  additionalSchema,
  propertySchema,
  type StructuralSchema,
} from "../../../schema/structural-schema.ts";
import type { StatusCause } from "../../../schema/status-cause.ts";
import { pathSegmentFault } from "../../../meta/name-rules.ts";
import { isFields, type ApiMeta, type Fields } from "../api-object.ts";
import { validateMetadata } from "../metadata-rules.ts";
import { metadataSchema } from "../builtin/builtin-schemas.ts";
import { shapeObject } from "../builtin/shape-object.ts";

/** What of the embedded resources in a value cannot be read, each with its place. */
export function unreadableEmbedded(schema: StructuralSchema, value: unknown, path = ""): readonly string[] {
  const { items } = schema;
  if (Array.isArray(value)) {
    if (items === undefined) return [];
    return value.flatMap((item, index) => unreadableEmbedded(items, item, `${path}[${index}]`));
  }
  if (!isFields(value)) return [];
  const own = schema["x-kubernetes-embedded-resource"] === true ? resourceFaults(value, path) : [];
  const inside = Object.entries(value).flatMap(([name, child]) => {
    const declared = propertySchema(schema, name);
    const childSchema = declared ?? additionalSchema(schema);
    if (childSchema === undefined) return [];
    const step = declared === undefined ? `[${name}]` : path === "" ? name : `.${name}`;
    return unreadableEmbedded(childSchema, child, `${path}${step}`);
  });
  return [...own, ...inside];
}

/** What is wrong with the metadata of the embedded resources in a value. */
export function embeddedMetadataFaults(
  schema: StructuralSchema,
  value: unknown,
  path = "",
): readonly StatusCause[] {
  const { items } = schema;
  if (Array.isArray(value)) {
    if (items === undefined) return [];
    return value.flatMap((item, index) => embeddedMetadataFaults(items, item, `${path}[${index}]`));
  }
  if (!isFields(value)) return [];
  const { metadata } = value;
  const own =
    schema["x-kubernetes-embedded-resource"] === true && isFields(metadata)
      ? metadataFaults(metadata, `${path}.metadata`)
      : [];
  const inside = Object.entries(value).flatMap(([name, child]) => {
    const declared = propertySchema(schema, name);
    const childSchema = declared ?? additionalSchema(schema);
    if (childSchema === undefined) return [];
    const step = declared === undefined ? `[${name}]` : path === "" ? name : `.${name}`;
    return embeddedMetadataFaults(childSchema, child, `${path}${step}`);
  });
  return [...own, ...inside];
}

/** It may do without a name. */
function metadataFaults(metadata: Fields, at: string): readonly StatusCause[] {
  const { value } = shapeObject(metadataSchema, metadata);
  const { name = "", ...rest } = value as Partial<ApiMeta>;
  return validateMetadata({ name: name === "" ? "unnamed" : name, ...rest }, pathFaults, at);
}

const pathFaults = (name: string): readonly string[] => {
  const fault = pathSegmentFault(name);
  return fault === undefined ? [] : [fault];
};

function resourceFaults(resource: Fields, path: string): readonly string[] {
  const wrong = (name: string, detail: string): string =>
    `${path}.${name}: Invalid value: ${JSON.stringify(resource[name])}: ${detail}`;
  const names = ["apiVersion", "kind"].filter(
    (name) => resource[name] !== undefined && typeof resource[name] !== "string",
  );
  const { metadata } = resource;
  if (metadata === undefined || metadata === null)
    return names.map((name) => wrong(name, "must be a string"));
  const faults = isFields(metadata)
    ? shapeObject(metadataSchema, metadata).typeErrors.slice(0, 1)
    : [`json: cannot unmarshal ${typeof metadata} into Go value of type v1.ObjectMeta`];
  return [
    ...names.map((name) => wrong(name, "must be a string")),
    ...faults.map((fault) => wrong("metadata", fault)),
  ];
}
