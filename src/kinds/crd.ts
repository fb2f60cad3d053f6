// crdOf: the CustomResourceDefinition of a kind, complete and ready to be applied. Pure.
// Read by `generate crd`, by the manager (install, and the check that nothing is pruned) and by the embedded cluster's tests.
import type { KubeObject, ManifestOf } from "../meta/object.ts";
import { apiVersionOf, resourceNameOf } from "../meta/resource-type.ts";
import { isOperatorError, OperatorError } from "../ports/operator-error.ts";
import { CustomResourceDefinition } from "./builtin/apiextensions.ts";
import type { StructuralSchema, ValidationRule } from "./builtin/json-of.ts";
import type { Kind } from "./define-kind.ts";
import type { KindValidation } from "./kind-options.ts";
import { changeRules } from "./change-rules.ts";
import { lifecycleSpecSchema, lifecycleStatusSchema } from "./lifecycle-schemas.ts";
import { printerColumnsOf } from "./printer-columns.ts";
import { completeDefault, withDefaults } from "./schema-defaults.ts";
import { conditionsSchema, initialStatus, observedGenerationSchema } from "./status-conditions.ts";
import { structuralSchemaOf } from "./structural-schema.ts";
import { desiredStateRules } from "./desired-state-rules.ts";

/** The annotation that carries the lifecycle's graph as JSON, so that any tool can draw it from the cluster. */
export const graphAnnotation = "xstate-operator.dev/graph";

/** A CRD as we declare it. */
export type CrdManifest = ManifestOf<CustomResourceDefinition>;

/**
 * The CustomResourceDefinition of a kind.
 *
 * **Guarantees**: the schema is structural, with the spec's defaults and checks; it keeps every field that the operator
 * writes into the status.
 * **Errors**: `CRD_SCHEMA_UNSUPPORTED`, with the path of the field that has no structural schema.
 */
export function crdOf(kind: Kind<KubeObject>): CrdManifest {
  try {
    return definitionOf(kind);
  } catch (error) {
    if (!isOperatorError(error, "CRD_SCHEMA_UNSUPPORTED")) throw error;
    const { message, fields, remedy } = error;
    throw new OperatorError("CRD_SCHEMA_UNSUPPORTED", `${kind.kind}: ${message}`, {
      fields: { ...fields, kind: kind.kind },
      ...(remedy === undefined ? {} : { remedy }),
      cause: error,
    });
  }
}

function definitionOf(kind: Kind<KubeObject>): CrdManifest {
  const version: CrdManifest["spec"]["versions"][number] = {
    name: kind.version,
    served: true,
    storage: true,
    schema: { openAPIV3Schema: rootSchemaOf(kind) },
    subresources: { status: {}, ...(kind.scale === undefined ? {} : { scale: kind.scale }) },
    additionalPrinterColumns: printerColumnsOf(kind.lifecycle !== undefined, kind.printerColumns),
  };
  return {
    apiVersion: apiVersionOf(CustomResourceDefinition),
    kind: CustomResourceDefinition.kind,
    metadata: { name: resourceNameOf(kind), ...graphOf(kind) },
    spec: {
      group: kind.group,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
        ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
        ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
      },
      scope: kind.namespaced ? "Namespaced" : "Cluster",
      versions: [version],
    },
  };
}

function rootSchemaOf(kind: Kind<KubeObject>): StructuralSchema {
  const spec = specSchemaOf(kind);
  return {
    type: "object",
    ...(kind.description === undefined ? {} : { description: kind.description }),
    ...(spec.default === undefined ? { required: ["spec"] } : {}),
    properties: {
      apiVersion: { type: "string", description: "Group and version of the kind." },
      kind: { type: "string", description: "The kind of the object." },
      metadata: { type: "object" },
      spec,
      status: statusSchemaOf(kind),
    },
    ...rulesOf(kind.validations, "object", lifecycleRules(kind)),
  };
}

function lifecycleRules({ lifecycle, changeRefusals }: Kind<KubeObject>): readonly ValidationRule[] {
  if (lifecycle === undefined) return [];
  const { graph } = lifecycle.index;
  const hasRegions = graph.parallel || graph.nodes.some(({ type }) => type === "parallel");
  return [...desiredStateRules(lifecycle), ...changeRules(changeRefusals, hasRegions)];
}

function graphOf({ lifecycle }: Kind<KubeObject>): Pick<CrdManifest["metadata"], "annotations"> {
  return lifecycle === undefined
    ? {}
    : { annotations: { [graphAnnotation]: JSON.stringify(lifecycle.index.graph) } };
}

function specSchemaOf(kind: Kind<KubeObject>): StructuralSchema {
  const own = structuralSchemaOf(kind.specSchema, "spec");
  const lifecycleFields =
    kind.lifecycle === undefined ? {} : { lifecycle: completeDefault(lifecycleSpecSchema(kind.lifecycle)) };
  const schema = { ...own, properties: { ...own.properties, ...lifecycleFields } };
  return {
    description: "The desired state of the resource.",
    ...schema,
    // Without a required field the whole spec may be left out; its fields' defaults apply all the same.
    ...(schema.required === undefined ? { default: withDefaults({}, schema) } : {}),
    ...rulesOf(kind.validations, "spec"),
  };
}

function statusSchemaOf(kind: Kind<KubeObject>): StructuralSchema {
  const own = kind.statusSchema === undefined ? undefined : structuralSchemaOf(kind.statusSchema, "status");
  // The status is written piece by piece: none of its fields can be required.
  const { required: _required, ...schema } = own ?? {};
  const properties = {
    ...schema.properties,
    ...(kind.lifecycle === undefined ? {} : { lifecycle: lifecycleStatusSchema() }),
    observedGeneration: observedGenerationSchema,
    conditions: conditionsSchema,
  };
  return completeDefault({
    type: "object",
    description: "The observed state of the resource; written by the operator.",
    ...schema,
    properties,
    default: initialStatus,
  });
}

function rulesOf(
  validations: readonly KindValidation[],
  on: "spec" | "object",
  more: readonly ValidationRule[] = [],
): { readonly "x-kubernetes-validations"?: readonly ValidationRule[] } {
  const own = validations.filter((rule) => (rule.on ?? "spec") === on).map(({ on: _on, ...rule }) => rule);
  const rules = [...own, ...more];
  return rules.length === 0 ? {} : { "x-kubernetes-validations": rules };
}
