// crdOf: the CustomResourceDefinition of a kind, complete and ready to be applied. Pure.
// Read by `generate crd`, by the manager (install, and the check that nothing is pruned) and by the embedded cluster's tests.
import type { KubeObject, ManifestOf } from "../meta/object.ts";
import { isEqualJson } from "../meta/changed-paths.ts";
import { apiVersionOf, resourceNameOf } from "../meta/resource-type.ts";
import { clientConfigOf, type WebhookAddress } from "../meta/webhook-address.ts";
import { isOperatorError, OperatorError } from "../ports/operator-error.ts";
import { CustomResourceDefinition } from "./builtin/apiextensions.ts";
import type { StructuralSchema, ValidationRule } from "./builtin/json-of.ts";
import { canSay } from "./change-refusals.ts";
import type { Kind } from "./define-kind.ts";
import type { KindValidation } from "./kind-validation.ts";
import { changeRules } from "./change-rules.ts";
import { lifecycleSpecSchema, lifecycleStatusSchema } from "./lifecycle-schemas.ts";
import { printerColumnsOf } from "./printer-columns.ts";
import { completeDefault, withDefaults } from "./schema-defaults.ts";
import { conditionsSchema, initialStatus, observedGenerationSchema } from "./status-conditions.ts";
import { structuralSchemaOf } from "./structural-schema.ts";
import { desiredStateRules } from "./desired-state-rules.ts";
import { conversionPathOf, isConverted } from "./versions/conversion-path.ts";
import type { KindVersion } from "./versions/kind-version.ts";

/** The annotation that carries the lifecycle's graph as JSON, so that any tool can draw it from the cluster. */
export const graphAnnotation = "xstate-operator.dev/graph";

/** The label that names the operator whose kind it is, so that a later build finds the kinds that it no longer has. */
export const operatorLabel = "xstate-operator.dev/operator";

/** A CRD as we declare it. */
export type CrdManifest = ManifestOf<CustomResourceDefinition>;

/** Options of {@link crdOf}. */
export interface CrdOptions {
  /** Where the API server reaches the operator's webhooks, which convert between versions; default: says nothing of conversion. */
  readonly webhooks?: WebhookAddress;
  /** Whom the API server trusts there, in PEM; default: who is trusted already, or else its own system's. */
  readonly authorities?: string;
  /** Whose kind it is, as a label; default: says nothing of that. */
  readonly operator?: string | undefined;
}

/**
 * The CustomResourceDefinition of a kind.
 *
 * **Guarantees**: the schemas are structural, with the spec's defaults and checks; they keep every field that the operator
 * writes into the status.
 * **Caveats**: without the address of the webhooks, that of a kind whose versions have to be converted says nothing of conversion.
 * **Errors**: `CRD_SCHEMA_UNSUPPORTED`, with the path of the field that has no structural schema; `CONVERSION_MISSING` for a
 * version with other schemas and no conversion.
 */
export function crdOf(kind: Kind<KubeObject>, options: CrdOptions = {}): CrdManifest {
  try {
    return definitionOf(kind, options);
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

function definitionOf(kind: Kind<KubeObject>, options: CrdOptions): CrdManifest {
  const versions = kind.versions.map((version) => versionDefinitionOf(kind, version));
  refuseUnconverted(kind, versions);
  return {
    apiVersion: apiVersionOf(CustomResourceDefinition),
    kind: CustomResourceDefinition.kind,
    metadata: { name: resourceNameOf(kind), ...markOf(options), ...graphOf(kind) },
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
      versions,
      ...conversionOf(kind, options),
    },
  };
}

/** How the API server converts between the versions; nothing where it can do without the operator. */
export function conversionOf(
  kind: Kind<KubeObject>,
  { webhooks, authorities }: CrdOptions,
): Pick<CrdManifest["spec"], "conversion"> {
  if (webhooks === undefined || !isConverted(kind)) return {};
  const clientConfig = clientConfigOf(webhooks, conversionPathOf(kind), authorities);
  return {
    conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } },
  };
}

type VersionDefinition = CrdManifest["spec"]["versions"][number];

function versionDefinitionOf(kind: Kind<KubeObject>, version: KindVersion): VersionDefinition {
  const { name, served, storage, deprecated, scale, printerColumns } = version;
  return {
    name,
    served,
    storage,
    ...(deprecated === false ? {} : { deprecated: true }),
    ...(typeof deprecated === "string" ? { deprecationWarning: deprecated } : {}),
    schema: { openAPIV3Schema: rootSchemaOf(kind, version) },
    subresources: { status: {}, ...(scale === undefined ? {} : { scale }) },
    additionalPrinterColumns: printerColumnsOf(kind.lifecycle !== undefined, printerColumns),
  };
}

/** Without a conversion the API server changes nothing but the name of the version, and drops what the other does not know. */
function refuseUnconverted(kind: Kind<KubeObject>, definitions: readonly VersionDefinition[]): void {
  const fieldsIn = (name: string): unknown => {
    const schema = definitions.find((each) => each.name === name)?.schema?.openAPIV3Schema;
    const { spec, status } = (schema?.properties ?? {}) as Readonly<Record<string, StructuralSchema>>;
    return [spec?.properties, spec?.required, status?.properties];
  };
  const missing = kind.versions.find(
    ({ name, convert }) => convert === undefined && !isEqualJson(fieldsIn(name), fieldsIn(kind.version)),
  );
  if (missing === undefined) return;
  throw new OperatorError(
    "CONVERSION_MISSING",
    `${kind.kind}: the version ${missing.name} has another schema than ${kind.version}, and no conversion`,
    {
      fields: { kind: kind.kind, path: `versions.${missing.name}` },
      remedy: `Write both functions: versions: { ${missing.name}: { spec, convert: { up, down } } }.`,
    },
  );
}

function rootSchemaOf(kind: Kind<KubeObject>, version: KindVersion): StructuralSchema {
  const spec = specSchemaOf(kind, version);
  return {
    type: "object",
    ...(kind.description === undefined ? {} : { description: kind.description }),
    ...(spec.default === undefined ? { required: ["spec"] } : {}),
    properties: {
      apiVersion: { type: "string", description: "Group and version of the kind." },
      kind: { type: "string", description: "The kind of the object." },
      metadata: { type: "object" },
      spec,
      status: statusSchemaOf(kind, version),
    },
    ...rulesOf(version.validations, "object", lifecycleRules(kind, spec)),
  };
}

/** Rules about the state hold in every version that has the field they are about. */
function lifecycleRules(
  { lifecycle, changeRefusals }: Kind<KubeObject>,
  spec: StructuralSchema,
): readonly ValidationRule[] {
  if (lifecycle === undefined) return [];
  const { graph } = lifecycle.index;
  const hasRegions = graph.parallel || graph.nodes.some(({ type }) => type === "parallel");
  const sayable = changeRefusals.filter(({ field }) => canSay(spec, field));
  return [...desiredStateRules(lifecycle), ...changeRules(sayable, hasRegions)];
}

function markOf({ operator }: CrdOptions): Pick<CrdManifest["metadata"], "labels"> {
  return operator === undefined ? {} : { labels: { [operatorLabel]: operator } };
}

function graphOf({ lifecycle }: Kind<KubeObject>): Pick<CrdManifest["metadata"], "annotations"> {
  return lifecycle === undefined
    ? {}
    : { annotations: { [graphAnnotation]: JSON.stringify(lifecycle.index.graph) } };
}

function specSchemaOf(kind: Kind<KubeObject>, version: KindVersion): StructuralSchema {
  const own = structuralSchemaOf(version.specSchema, pathOf(kind, version, "spec"));
  const lifecycleFields =
    kind.lifecycle === undefined ? {} : { lifecycle: completeDefault(lifecycleSpecSchema(kind.lifecycle)) };
  const schema = { ...own, properties: { ...own.properties, ...lifecycleFields } };
  return {
    description: "The desired state of the resource.",
    ...schema,
    // Without a required field the whole spec may be left out; its fields' defaults apply all the same.
    ...(schema.required === undefined ? { default: withDefaults({}, schema) } : {}),
    ...rulesOf(version.validations, "spec", schema["x-kubernetes-validations"]),
  };
}

function statusSchemaOf(kind: Kind<KubeObject>, version: KindVersion): StructuralSchema {
  const { statusSchema } = version;
  const own =
    statusSchema === undefined
      ? undefined
      : structuralSchemaOf(statusSchema, pathOf(kind, version, "status"));
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

/** Where the schema is declared, as an option of defineKind. */
function pathOf(kind: Kind<KubeObject>, { name }: KindVersion, part: "spec" | "status"): string {
  return name === kind.version ? part : `versions.${name}.${part}`;
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
