// The schema of a custom resource as server-side apply reads it: with apiVersion, kind and metadata, at the root and in embedded resources.
// Made once per CRD version by the API server.
import type { StructuralSchema } from "../../schema/structural-schema.ts";

/** A CRD's schema completed by the fields that every resource has. */
export function resourceSchema(schema: StructuralSchema, metadata: StructuralSchema): StructuralSchema {
  return complete({ ...schema, "x-kubernetes-embedded-resource": true }, metadata);
}

function complete(schema: StructuralSchema, metadata: StructuralSchema): StructuralSchema {
  const properties = Object.entries(schema.properties ?? {}).map(
    ([name, property]) => [name, complete(property, metadata)] as const,
  );
  const { additionalProperties, items } = schema;
  const isResource = schema["x-kubernetes-embedded-resource"] === true;
  return {
    ...schema,
    ...(schema.properties === undefined && !isResource
      ? {}
      : {
          properties: { ...Object.fromEntries(properties), ...(isResource ? resourceFields(metadata) : {}) },
        }),
    ...(typeof additionalProperties === "object"
      ? { additionalProperties: complete(additionalProperties, metadata) }
      : {}),
    ...(items === undefined ? {} : { items: complete(items, metadata) }),
  };
}

function resourceFields(metadata: StructuralSchema): Readonly<Record<string, StructuralSchema>> {
  // Metadata is closed, also where everything else is preserved.
  const closed = { ...metadata, "x-kubernetes-preserve-unknown-fields": false };
  return { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: closed };
}
