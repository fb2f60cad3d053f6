// Whether a custom resource satisfies its CRD: the schema first, then lists; rules only where those found nothing that blocks them.
import { noField, type StatusCause } from "../../schema/status-cause.ts";
import type { StructuralSchema } from "../../schema/structural-schema.ts";
import { validate } from "../../schema/validate.ts";
import { validateLists } from "../../schema/validate-lists.ts";
import type { ApiObject } from "../api-object.ts";

/** Faults that leave an object without the shape on which rules rely. */
const blocking = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const notChecked: StatusCause = {
  reason: "FieldValueInvalid",
  message:
    "Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
  field: noField,
};

/** Faults of a custom resource; a write to its status is judged by its status alone. */
export function validateCustomObject(
  schema: StructuralSchema,
  object: ApiObject,
  previous: ApiObject | undefined,
  subresource: string | undefined,
): readonly StatusCause[] {
  const causes = structuralFaults(schema, object, previous, subresource);
  if (causes.some((cause) => blocking.has(cause.reason))) return [...causes, notChecked];
  return causes;
}

function structuralFaults(
  schema: StructuralSchema,
  object: ApiObject,
  previous: ApiObject | undefined,
  subresource: string | undefined,
): readonly StatusCause[] {
  const status = schema.properties?.["status"];
  if (subresource !== "status") {
    const old = previous === undefined ? {} : { old: previous };
    return [...validate(schema, object, old), ...validateLists(schema, object)];
  }
  if (status === undefined || object["status"] === undefined) return [];
  const old = previous?.["status"] === undefined ? {} : { old: previous["status"] };
  return [
    ...validate(status, object["status"], { ...old, field: "status" }),
    ...validateLists(status, object["status"], "status"),
  ];
}
