// A small custom resource for the tests of server-side apply, and requests on it.
import { resourceSchema } from "../../../src/cluster/patch/resource-schema.ts";
import { resetFieldsOf } from "../../../src/cluster/patch/reset-fields.ts";
import { applyManifest } from "../../../src/cluster/patch/server-side-apply.ts";
import type { ApplyRequest, ApplyResult } from "../../../src/cluster/patch/server-side-apply.ts";
import { recordUpdate } from "../../../src/cluster/patch/record-update.ts";
import type { JsonObject } from "../../../src/schema/json-value.ts";
import type { StructuralSchema } from "../../../src/schema/structural-schema.ts";

const text: StructuralSchema = { type: "string" };
const textMap: StructuralSchema = { type: "object", additionalProperties: text };

const metadata: StructuralSchema = {
  type: "object",
  properties: {
    name: text,
    namespace: text,
    uid: text,
    resourceVersion: text,
    labels: textMap,
    annotations: textMap,
    finalizers: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    ownerReferences: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
      items: { type: "object", "x-kubernetes-map-type": "atomic", properties: { name: text, uid: text } },
    },
    managedFields: { type: "array" },
  },
};

const fields: Readonly<Record<string, StructuralSchema>> = {
  image: text,
  replicas: { type: "integer" },
  paused: { type: "boolean" },
  port: { "x-kubernetes-int-or-string": true },
  object: { type: "object", properties: { a: text, b: text } },
  whole: { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: text, b: text } },
  labels: textMap,
  nested: { type: "object", additionalProperties: { type: "object", properties: { a: text } } },
  list: { type: "array", items: text },
  set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
  envs: {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    items: { type: "object", required: ["name"], properties: { name: text, value: text } },
  },
  ports: {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["port", "protocol"],
    items: {
      type: "object",
      properties: { port: { type: "integer" }, protocol: { ...text, default: "TCP" } },
    },
  },
  free: { "x-kubernetes-preserve-unknown-fields": true },
};

/** The custom resource's schema as server-side apply reads it. */
export const schema: StructuralSchema = resourceSchema(
  {
    type: "object",
    properties: {
      spec: { type: "object", properties: fields },
      status: { type: "object", properties: fields },
    },
  },
  metadata,
);

/** 2026-01-01T00:00:00Z. */
export const newYear = Date.UTC(2026, 0, 1);

const writer = {
  schema,
  apiVersion: "x.example.com/v1",
  now: newYear,
  resetFields: resetFieldsOf({ hasStatus: true, custom: true }),
};

/** A manifest of the resource. */
export function manifestOf(spec: unknown, more: JsonObject = {}): JsonObject {
  const { metadata: moreMetadata = {}, ...rest } = more as { metadata?: JsonObject };
  return {
    apiVersion: "x.example.com/v1",
    kind: "Foo",
    metadata: { name: "n", namespace: "default", ...moreMetadata },
    ...(spec === undefined ? {} : { spec }),
    ...rest,
  };
}

/** Applies a spec on behalf of a manager. */
export function apply(
  live: JsonObject | undefined,
  manager: string,
  spec: unknown,
  more: Partial<ApplyRequest> = {},
): ApplyResult {
  return applyManifest({
    ...writer,
    ...(live === undefined ? {} : { live }),
    manifest: manifestOf(spec),
    manager,
    force: false,
    ...more,
  });
}

/** The object of an apply that must succeed. */
export function applied(
  live: JsonObject | undefined,
  manager: string,
  spec: unknown,
  more: Partial<ApplyRequest> = {},
): JsonObject {
  const result = apply(live, manager, spec, more);
  if ("object" in result) return result.object;
  throw new Error(result.conflicts.map(({ manager, field }) => `${manager} ${field}`).join(", "));
}

/** The object after a write that is no apply. */
export function updated(before: JsonObject | undefined, manager: string, after: JsonObject): JsonObject {
  const owners = recordUpdate({ ...writer, ...(before === undefined ? {} : { before }), after, manager });
  const { managedFields: _sent, ...rest } = after["metadata"] as JsonObject;
  return { ...after, metadata: { ...rest, ...(owners === undefined ? {} : { managedFields: owners }) } };
}

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly fieldsV1: unknown;
  readonly subresource?: string;
  readonly time?: string;
}

/** The entries of an object's managedFields. */
export function entriesOf(object: JsonObject): readonly Entry[] {
  const { managedFields = [] } = object["metadata"] as { managedFields?: readonly Entry[] };
  return managedFields;
}

/** What each manager owns. */
export function ownersOf(object: JsonObject): Record<string, unknown> {
  return Object.fromEntries(entriesOf(object).map(({ manager, fieldsV1 }) => [manager, fieldsV1]));
}

/** An object without its managedFields. */
export function contentOf(object: JsonObject): JsonObject {
  const { managedFields: _owners, ...metadata } = object["metadata"] as JsonObject;
  return { ...object, metadata };
}
