// CustomResourceDefinition: how a kind is told to the API server. Made by ../crd.ts, served by the embedded cluster.
import type { ClusterObject, Json } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { WorkloadCondition } from "./workload-condition.ts";

/** A CustomResourceDefinition (apiextensions.k8s.io v1), named `plural.group`. */
export interface CustomResourceDefinition extends ClusterObject {
  readonly spec: CustomResourceDefinitionSpec;
  readonly status?: CustomResourceDefinitionStatus;
}

/** What is served. */
export interface CustomResourceDefinitionSpec {
  readonly group: string;
  readonly names: CustomResourceNames;
  /** Immutable. */
  readonly scope: "Namespaced" | "Cluster";
  readonly versions: readonly CustomResourceVersion[];
  readonly conversion?: {
    readonly strategy: "None" | "Webhook";
    readonly webhook?: {
      readonly conversionReviewVersions: readonly string[];
      readonly clientConfig?: Readonly<Record<string, unknown>>;
    };
  };
  readonly preserveUnknownFields?: false;
}

/** How instances are called. */
export interface CustomResourceNames {
  readonly plural: string;
  readonly singular?: string;
  readonly kind: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** One served version. */
export interface CustomResourceVersion {
  readonly name: string;
  readonly served: boolean;
  /** True on exactly one version. */
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: StructuralSchema };
  readonly subresources?: {
    readonly status?: Readonly<Record<string, never>>;
    readonly scale?: ScaleSubresource;
  };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/** Where the scale subresource finds its numbers: JSON paths such as `.spec.replicas`. */
export interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** One column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly jsonPath: string;
  readonly description?: string;
  readonly format?: string;
  /** 0 (default) is shown always, more only with `-o wide`. */
  readonly priority?: number;
}

/** A rule in CEL that the API server holds every write to. */
export interface ValidationRule {
  /** `self` is the value at the rule's place, `oldSelf` the one before the write. */
  readonly rule: string;
  readonly message?: string;
  /** CEL that makes the message; when it fails, `message` is used. */
  readonly messageExpression?: string;
  /** Default `FieldValueInvalid`. */
  readonly reason?:
    "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
  /** Relative JSON path of the field to blame, such as `.replicas`. */
  readonly fieldPath?: string;
  /** True: `oldSelf` is an optional and the rule runs also when there is no old value. */
  readonly optionalOldSelf?: boolean;
}

/** The subset of OpenAPI v3 that a CRD may use. */
export interface StructuralSchema {
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  readonly description?: string;
  readonly title?: string;
  readonly format?: string;
  readonly default?: Json;
  readonly nullable?: boolean;
  readonly enum?: readonly Json[];
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
  readonly additionalProperties?: StructuralSchema | boolean;
  readonly items?: StructuralSchema;
  readonly allOf?: readonly StructuralSchema[];
  readonly anyOf?: readonly StructuralSchema[];
  readonly oneOf?: readonly StructuralSchema[];
  readonly not?: StructuralSchema;
  readonly "x-kubernetes-preserve-unknown-fields"?: true;
  readonly "x-kubernetes-embedded-resource"?: true;
  readonly "x-kubernetes-int-or-string"?: true;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** What the server made of the definition. */
export interface CustomResourceDefinitionStatus {
  readonly acceptedNames?: CustomResourceNames;
  readonly conditions?: readonly WorkloadCondition[];
  readonly storedVersions?: readonly string[];
}

/** The type of {@link CustomResourceDefinition}. */
export const CustomResourceDefinition: ResourceType<CustomResourceDefinition> =
  builtin<CustomResourceDefinition>(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    "Cluster",
  );
