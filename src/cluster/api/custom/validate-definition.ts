// Whether a CRD may be served: versions, storage version, schemas.
import { checkStructural } from "../../../schema/check-structural.ts";
import { clientConfigRule } from "../builtin/validation/webhook-rules.ts";
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../schema/status-cause.ts";
import { propertySchema, type StructuralSchema } from "../../../schema/structural-schema.ts";
import { fieldsOf, listOf, textOf, type ApiObject, type Fields } from "../api-object.ts";
import { compileJsonPath } from "../../../schema/json-path.ts";
import { readDefinition, type CrdVersion } from "./crd-definition.ts";

/** Faults of a definition's spec. */
export function validateDefinition(object: ApiObject): StatusCause[] {
  const definition = readDefinition(object);
  const spec = fieldsOf(object["spec"]);
  const errors: StatusCause[] = [];
  const names = fieldsOf(spec["names"]);
  if (definition.group === "") errors.push(requiredValue("spec.group"));
  for (const field of ["plural", "singular", "kind", "listKind"]) {
    if (textOf(names[field]) === "") errors.push(requiredValue(`spec.names.${field}`));
  }
  const scope = textOf(spec["scope"]);
  if (scope === "") errors.push(requiredValue("spec.scope"));
  else if (scope !== "Namespaced" && scope !== "Cluster") {
    errors.push(unsupportedValue("spec.scope", scope, ["Cluster", "Namespaced"]));
  }
  definition.versions.forEach((version, index) => {
    const at = `spec.versions[${index}]`;
    if (version.schema === undefined) {
      errors.push(requiredValue(`${at}.schema.openAPIV3Schema`));
      return;
    }
    // The real server reads a single version as if it were written in the older, common place.
    const isSingle = definition.versions.length === 1;
    const field = isSingle ? "spec.validation.openAPIV3Schema" : `${at}.schema.openAPIV3Schema`;
    errors.push(...checkStructural(version.schema, field));
    errors.push(...selectableFaults(version, isSingle ? "spec" : at));
  });
  errors.push(...conversionFaults(fieldsOf(spec["conversion"])));
  const stored = definition.versions.filter((version) => version.storage).length;
  if (stored !== 1) {
    errors.push({
      reason: "FieldValueInvalid",
      message: `Invalid value: ${JSON.stringify(spec["versions"] ?? null)}: must have exactly one version marked as storage version`,
      field: "spec.versions",
    });
  }
  if (listOf(fieldsOf(object["status"])["storedVersions"]).length === 0) {
    errors.push(invalidValue("status.storedVersions", null, "must have at least one stored version"));
  }
  return errors;
}

/** The real server names the fields as they were called in an older version. */
function conversionFaults({ strategy, webhook }: Fields): StatusCause[] {
  const at = "spec.conversion";
  const client = `${at}.webhookClientConfig`;
  const reviews = `${at}.conversionReviewVersions`;
  const { clientConfig, conversionReviewVersions } = fieldsOf(webhook);
  const versions = listOf(conversionReviewVersions).map(String);
  if (strategy !== "None" && strategy !== "Webhook") {
    return [unsupportedValue(`${at}.strategy`, strategy, ["None", "Webhook"])];
  }
  if (strategy === "None") {
    const detail = "should not be set when strategy is not set to Webhook";
    return [
      ...(clientConfig === undefined ? [] : [forbiddenValue(client, detail)]),
      ...(versions.length === 0 ? [] : [forbiddenValue(reviews, detail)]),
    ];
  }
  const errors =
    clientConfig === undefined
      ? [requiredValue(client, "required when strategy is set to Webhook")]
      : [...clientConfigRule(clientConfig, client, {})];
  if (versions.length === 0) errors.push(requiredValue(reviews));
  else if (!versions.some((version) => ["v1", "v1beta1"].includes(version))) {
    errors.push(invalidValue(reviews, versions, "must include at least one of v1, v1beta1"));
  }
  return errors;
}

/** Selectable fields must be declared, and hold plain values. */
function selectableFaults({ schema, selectableFields }: CrdVersion, at: string): StatusCause[] {
  return selectableFields.flatMap((path, index) => {
    let node: StructuralSchema | undefined = schema;
    for (const step of compileJsonPath(path) ?? []) {
      node = step.kind === "field" && node !== undefined ? propertySchema(node, step.name) : undefined;
    }
    if (node !== undefined && ["string", "boolean", "integer"].includes(node.type ?? "")) return [];
    const detail = "is an invalid path: does not refer to a valid field";
    return [invalidValue(`${at}.selectableFields[${index}].jsonPath`, path, detail)];
  });
}
