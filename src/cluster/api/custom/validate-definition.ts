// Whether a CRD may be served: versions, storage version, schemas.
import { requiredValue, unsupportedValue, type StatusCause } from "../../schema/status-cause.ts";
import { fieldsOf, type ApiObject } from "../api-object.ts";
import { readDefinition } from "./crd-definition.ts";

/** Faults of a definition's spec. */
export function validateDefinition(object: ApiObject): StatusCause[] {
  const definition = readDefinition(object);
  const spec = fieldsOf(object["spec"]);
  const errors: StatusCause[] = [];
  if (definition.group === "") errors.push(requiredValue("spec.group"));
  if (definition.plural === "") errors.push(requiredValue("spec.names.plural"));
  if (definition.kind === "") errors.push(requiredValue("spec.names.kind"));
  if (spec["scope"] !== "Namespaced" && spec["scope"] !== "Cluster") {
    errors.push(unsupportedValue("spec.scope", spec["scope"] ?? "", ["Cluster", "Namespaced"]));
  }
  definition.versions.forEach((version, index) => {
    if (version.schema === undefined) {
      errors.push(requiredValue(`spec.versions[${index}].schema.openAPIV3Schema`));
    }
  });
  const stored = definition.versions.filter((version) => version.storage).length;
  if (stored !== 1) {
    errors.push({
      reason: "FieldValueInvalid",
      message: `Invalid value: ${JSON.stringify(spec["versions"])}: must have exactly one version marked as storage version`,
      field: "spec.versions",
    });
  }
  return errors;
}
