// The JSON Schema of a kind's manifests, for editors and validators: what the API server accepts, as far as a schema can say it. Pure.
import type { StructuralSchema } from "../kinds/builtin/json-of.ts";
import { crdOf } from "../kinds/crd.ts";
import type { Kind } from "../kinds/define-kind.ts";
import { apiVersionOf } from "../meta/resource-type.ts";
import type { KubeObject } from "../meta/object.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** Schema of the manifests that users write: without a status, and with unknown fields refused where the API server drops them. */
export function jsonSchemaOf(kind: Kind<KubeObject>): JsonSchema {
  const crd = crdOf(kind);
  const schema = crd.spec.versions.find(({ name }) => name === kind.version)?.schema?.openAPIV3Schema;
  const { spec } = (schema?.properties ?? {}) as { readonly spec?: StructuralSchema };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: kind.kind,
    ...(kind.description === undefined ? {} : { description: kind.description }),
    type: "object",
    properties: {
      apiVersion: { const: apiVersionOf(kind) },
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
      ...(schema?.required ?? []).filter((name) => name === "spec"),
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
