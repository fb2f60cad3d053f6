// Whether a custom resource satisfies its CRD: the schema first, then lists; rules only when those found nothing.
import { validate } from "../../schema/validate.ts";
import type { StatusCause } from "../../schema/status-cause.ts";
import type { StructuralSchema } from "../../schema/structural-schema.ts";
import type { ApiObject } from "../api-object.ts";

/** Faults of a custom resource. */
export function validateCustomObject(
  schema: StructuralSchema,
  object: ApiObject,
  previous: ApiObject | undefined,
): readonly StatusCause[] {
  return validate(schema, object, previous === undefined ? {} : { old: previous });
}
