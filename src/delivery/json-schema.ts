// The JSON Schema of a kind's manifests, for editors and validators: what the API server accepts, as far as a schema can say it. Pure.
import type { StructuralSchema } from "../kinds/builtin/json-of.ts";
import { crdOf, type CrdManifest } from "../kinds/crd.ts";
import type { Kind } from "../kinds/define-kind.ts";
import { versionOf } from "../kinds/versions/convert.ts";
import type { KubeObject } from "../meta/object.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Schema of the manifests that users write: without a status, and with unknown fields refused where the API server drops them.
 * Of a kind with several versions each one that is served is accepted, unless one is named. Errors: `VERSION_UNKNOWN`.
 */
export function jsonSchemaOf(kind: Kind<KubeObject>, version?: string): JsonSchema {
  const { versions } = crdOf(kind).spec;
  const named = version === undefined ? undefined : versionOf(kind, version).name;
  const chosen = versions.filter(({ name, served }) => (named === undefined ? served : name === named));
  const [only, ...others] = chosen.map((each) => versionSchemaOf(kind, each));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: kind.kind,
    ...(kind.description === undefined ? {} : { description: kind.description }),
    type: "object",
    // Which one is meant a manifest says itself.
    ...(others.length === 0 ? only : { oneOf: [only, ...others], required: ["apiVersion", "kind"] }),
  };
}

type VersionDefinition = CrdManifest["spec"]["versions"][number];

function versionSchemaOf(kind: Kind<KubeObject>, { name, schema }: VersionDefinition): JsonSchema {
  const root = schema?.openAPIV3Schema;
  const { spec } = (root?.properties ?? {}) as { readonly spec?: StructuralSchema };
  return {
    properties: {
      apiVersion: { const: `${kind.group}/${name}` },
      kind: { const: kind.kind },
      metadata: {
        type: "object",
        properties: {
          name: { type: "string" },
          ...(kind.namespaced ? { namespace: { type: "string" } } : {}),
        },
      },
      ...(spec === undefined ? {} : { spec: converted(spec) }),
    },
    required: [
      "apiVersion",
      "kind",
      "metadata",
      ...(root?.required ?? []).filter((field) => field === "spec"),
    ],
    additionalProperties: false,
  };
}

/** What OpenAPI and Kubernetes say in their own words, in those of JSON Schema. */
function converted(schema: StructuralSchema): JsonSchema {
  const {
    type,
    properties,
    additionalProperties,
    items,
    nullable,
    enum: values,
    allOf,
    anyOf,
    oneOf,
    not,
  } = schema;
  const open = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const kept = Object.entries(schema).filter(
    ([name]) => !name.startsWith("x-kubernetes-") && !rewritten.has(name),
  );
  const each = (schemas: readonly unknown[]): readonly JsonSchema[] =>
    schemas.map((inner) => validationOf(inner as StructuralSchema));
  return {
    ...(schema["x-kubernetes-int-or-string"] === true
      ? { type: ["integer", "string"] }
      : type === undefined
        ? {}
        : { type: nullable === true ? [type, "null"] : type }),
    ...Object.fromEntries(kept),
    ...(values === undefined
      ? {}
      : { enum: nullable === true ? [...(values as readonly unknown[]), null] : values }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, inner]) => [name, converted(inner)]),
          ),
        }),
    ...(typeof additionalProperties === "object"
      ? { additionalProperties: converted(additionalProperties) }
      : type === "object" && properties !== undefined && !open && additionalProperties !== true
        ? { additionalProperties: false }
        : {}),
    ...(items === undefined ? {} : { items: converted(items) }),
    ...(allOf === undefined ? {} : { allOf: each(allOf) }),
    ...(anyOf === undefined ? {} : { anyOf: each(anyOf) }),
    ...(oneOf === undefined ? {} : { oneOf: each(oneOf) }),
    ...(not === undefined ? {} : { not: validationOf(not) }),
  };
}

/** Words that {@link converted} says itself. */
const rewritten = new Set([
  "type",
  "properties",
  "additionalProperties",
  "items",
  "nullable",
  "enum",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
]);

/** Within `anyOf` and the like a structural schema only checks: the fields that it does not name are named elsewhere. */
function validationOf(schema: StructuralSchema): JsonSchema {
  return converted({ ...schema, "x-kubernetes-preserve-unknown-fields": true });
}
