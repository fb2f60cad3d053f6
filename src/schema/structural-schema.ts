// The shape of a structural OpenAPI v3 schema with Kubernetes' extensions, as a CRD carries it.
// Fed from CRDs and from the tables of Kubernetes' own types; every walker of this folder and of server-side apply reads it.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema

import type { ValidationRule } from "../kinds/builtin/json-of.ts";

/** A schema node. All fields are those of the CRD's `openAPIV3Schema`. */
export interface StructuralSchema {
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: boolean | StructuralSchema;
  readonly items?: StructuralSchema;
  readonly allOf?: readonly StructuralSchema[];
  readonly anyOf?: readonly StructuralSchema[];
  readonly oneOf?: readonly StructuralSchema[];
  readonly not?: StructuralSchema;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
  /** Kubernetes' own types only: how a strategic merge patch treats the list or map. */
  readonly "x-kubernetes-patch-strategy"?: string;
  /** Kubernetes' own types only: the key by which a strategic merge patch pairs items. */
  readonly "x-kubernetes-patch-merge-key"?: string;
}

/** The schema of a declared property; undefined when the schema does not name it. */
export function propertySchema(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const properties = schema.properties;
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The schema of the values under undeclared names; undefined when there is none. */
export function additionalSchema(schema: StructuralSchema): StructuralSchema | undefined {
  return typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

/** Whether unknown fields below this node are kept. */
export function preservesUnknown(schema: StructuralSchema): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true || schema.additionalProperties === true;
}

/** A schema, and every schema in it. */
export function* everySchema(schema: StructuralSchema): Generator<StructuralSchema> {
  yield schema;
  const { properties = {}, items, allOf = [], anyOf = [], oneOf = [], not } = schema;
  const additional = additionalSchema(schema);
  for (const child of [
    ...Object.values(properties),
    ...(additional === undefined ? [] : [additional]),
    ...(items === undefined ? [] : [items]),
    ...allOf,
    ...anyOf,
    ...oneOf,
    ...(not === undefined ? [] : [not]),
  ]) {
    yield* everySchema(child);
  }
}
