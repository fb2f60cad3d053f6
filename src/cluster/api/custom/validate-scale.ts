// What the scale subresource demands of an object: whole numbers that are not negative, where its paths point.
import type { StatusCause } from "../../../schema/status-cause.ts";
import { valueAt } from "../../../schema/json-path.ts";
import type { ApiObject } from "../api-object.ts";
import type { ScalePaths } from "../served-type.ts";

/** Faults of the replicas that a CRD's scale paths point at; a write to the status is judged by the status alone. */
export function validateScale(
  paths: ScalePaths,
  object: ApiObject,
  subresource: string | undefined,
): readonly StatusCause[] {
  const path = subresource === "status" ? paths.statusReplicasPath : paths.specReplicasPath;
  const value = valueAt(object, path);
  if (value === undefined) return [];
  const fault = (given: number, detail: string): StatusCause => ({
    reason: "FieldValueInvalid",
    message: `Invalid value: ${given}: ${detail}`,
    field: path,
  });
  if (typeof value !== "number" || !Number.isInteger(value)) {
    const type = typeof value === "number" ? "float64" : typeof value === "boolean" ? "bool" : typeof value;
    const shown = typeof value === "string" ? value : JSON.stringify(value);
    return [fault(0, `${path} accessor error: ${shown} is of the type ${type}, expected int64`)];
  }
  return value < 0 ? [fault(value, "should be a non-negative integer")] : [];
}
