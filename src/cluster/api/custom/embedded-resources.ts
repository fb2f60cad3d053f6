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
import { goTypeName } from "../go-words.ts";

/** What came out of reading embedded resources; each path begins at the object. */
export interface ReadEmbedded {
  /** Paths of what their metadata does not have, sorted. */
  readonly unknownFields: readonly string[];
  /** What of them cannot be read, each with its place. */
  readonly typeErrors: readonly string[];
}

/** Reads the embedded resources in a value, which has been copied by pruning: their metadata is replaced by what is read. */
export function readEmbedded(schema: StructuralSchema, value: unknown): ReadEmbedded {
  const found: Found = { unknownFields: [], typeErrors: [] };
  readInto(found, schema, value, "");
  return { ...found, unknownFields: found.unknownFields.sort() };
}

interface Found {
  readonly unknownFields: string[];
  readonly typeErrors: string[];
}

function readInto(found: Found, schema: StructuralSchema, value: unknown, path: string): void {
  const { items } = schema;
  if (Array.isArray(value)) {
    if (items !== undefined)
      value.forEach((item, index) => readInto(found, items, item, `${path}[${index}]`));
    return;
  }
  if (!isFields(value)) return;
  if (schema["x-kubernetes-embedded-resource"] === true) readResource(found, value, path);
  for (const [name, child] of Object.entries(value)) {
    const declared = propertySchema(schema, name);
    const childSchema = declared ?? additionalSchema(schema);
    if (childSchema === undefined) continue;
    const step = declared === undefined ? `[${name}]` : path === "" ? name : `.${name}`;
    readInto(found, childSchema, child, `${path}${step}`);
  }
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

/** What is said of metadata that is no object. */
export function noMetadata(given: unknown): string {
  return `json: cannot unmarshal ${goTypeName(given)} into Go value of type v1.ObjectMeta`;
}

function readResource(found: Found, resource: Fields, path: string): void {
  const blame = (name: string, detail: string): number =>
    found.typeErrors.push(`${path}.${name}: Invalid value: ${JSON.stringify(resource[name])}: ${detail}`);
  for (const name of ["apiVersion", "kind"]) {
    if (resource[name] !== undefined && typeof resource[name] !== "string") blame(name, "must be a string");
  }
  const { metadata } = resource;
  if (metadata === undefined || metadata === null) return;
  if (!isFields(metadata)) {
    blame("metadata", noMetadata(metadata));
    return;
  }
  const { value, unknownFields, typeErrors } = shapeObject(metadataSchema, metadata);
  const [fault] = typeErrors;
  if (fault !== undefined) blame("metadata", fault);
  found.unknownFields.push(...unknownFields.map((field) => `${path}.metadata.${field}`));
  const { creationTimestamp, ...rest } = value as Partial<ApiMeta>;
  // A time that is not said is none here.
  resource["metadata"] = typeof creationTimestamp === "string" ? { ...rest, creationTimestamp } : rest;
}
