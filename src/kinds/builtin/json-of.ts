// How Kubernetes' own types are described: by the generated models of @kubernetes/client-node, as the JSON that travels.
// The models are classes for that client's serializer: they hold Date objects, and rename fields that are reserved words.
import type { V1JSONSchemaProps } from "@kubernetes/client-node/dist/gen/models/V1JSONSchemaProps.js";
import type { V1ValidationRule } from "@kubernetes/client-node/dist/gen/models/V1ValidationRule.js";
import type { ClusterObject, Json, KubeObject, NamespacedObject } from "../../meta/object.ts";

/**
 * What travels for a generated model, at every depth: a date is a string, a field has the name that it has in JSON
 * (`_default` is `default`), and nothing can be written to. A `spec` is required: the API server always sends one.
 *
 * @example
 * import type { V1Affinity } from "@kubernetes/client-node/dist/gen/models/V1Affinity.js";
 * type Affinity = JsonOf<V1Affinity>;
 */
export type JsonOf<TModel> = 0 extends 1 & TModel
  ? Json // The model says `any`.
  : TModel extends Date
    ? string
    : TModel extends readonly (infer TItem)[]
      ? readonly JsonOf<TItem>[]
      : TModel extends object
        ? string extends keyof TModel // A map, whose keys are data.
          ? { readonly [TKey in keyof TModel]: JsonOf<TModel[TKey]> }
          : "x_kubernetes_validations" extends keyof TModel
            ? StructuralSchema
            : "spec" extends keyof TModel
              ? JsonOf<Omit<TModel, "spec">> & { readonly spec: JsonOf<Exclude<TModel["spec"], undefined>> }
              : Extract<keyof TModel, `_${string}`> extends never // Renaming would hide a field's documentation.
                ? { readonly [TKey in keyof TModel]: JsonOf<TModel[TKey]> }
                : {
                    readonly [TKey in keyof TModel as TKey extends `_${infer TName}` ? TName : TKey]: JsonOf<
                      TModel[TKey]
                    >;
                  }
        : TModel;

/** An instance of a namespaced type, by its model: with the metadata that every object has. */
export type NamespacedOf<TModel> = NamespacedObject & JsonOf<Omit<TModel, keyof KubeObject>>;

/** An instance of a cluster-scoped type, by its model: with the metadata that every object has. */
export type ClusterScopedOf<TModel> = ClusterObject & JsonOf<Omit<TModel, keyof KubeObject>>;

/** The schema of a custom resource: the model, with the fields that it leaves open or calls otherwise. */
export interface StructuralSchema extends JsonOf<
  Omit<
    V1JSONSchemaProps,
    | "ref"
    | "schema"
    | "type"
    | "items"
    | "additionalItems"
    | "additionalProperties"
    | `x_kubernetes_${string}`
  >
> {
  /** Not allowed in a structural schema. */
  readonly $ref?: string;
  /** Not allowed in a structural schema. */
  readonly $schema?: string;
  /** Absent only beside `x-kubernetes-int-or-string` or `x-kubernetes-preserve-unknown-fields`. */
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  /** The schema of a list's elements. */
  readonly items?: StructuralSchema;
  /** The schema of a map's values. */
  readonly additionalProperties?: StructuralSchema | boolean;
  /** A whole Kubernetes object stands here. */
  readonly "x-kubernetes-embedded-resource"?: boolean;
  /** A whole number or a text, as of a port. */
  readonly "x-kubernetes-int-or-string"?: boolean;
  /** The fields that tell the elements of a list of type `map` apart. */
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  /** Whether appliers share the list: `set` and `map` by element; default `atomic`. */
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  /** Whether appliers share the object: default `granular`, by field. */
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  /** Fields that are not in the schema are kept instead of dropped. */
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  /** Rules in CEL about the value here. */
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** A rule in CEL that the API server checks at every write: `self` is the new value at its place, `oldSelf` the old one. */
export interface ValidationRule extends JsonOf<V1ValidationRule> {
  /** Default `FieldValueInvalid`. */
  readonly reason?:
    "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
}
