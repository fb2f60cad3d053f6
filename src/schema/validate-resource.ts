// Everything that the API server checks of a custom resource against its schema, in its order.
// The one validation that the API server calls on create and update; the files beside it each do a part.
import { checkRules, hasRules } from "./cel-rules.ts";
import { fieldOf, isJsonObject } from "./json-value.ts";
import { invalidValue, noField } from "./status-cause.ts";
import type { CauseReason, StatusCause } from "./status-cause.ts";
import { propertySchema } from "./structural-schema.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { validateEmbedded } from "./validate-embedded.ts";
import { validateLists } from "./validate-lists.ts";
import { validate } from "./validate.ts";

/** Options of {@link validateResource}. */
export interface ResourceOptions {
  /** The stored object; absent on create. */
  readonly old?: unknown;
  /** True for a write to the status subresource: only `status` is held against the schema. */
  readonly statusOnly?: boolean;
}

/** Causes after which rules are not tried: they could stumble over such values. */
const blocking: ReadonlySet<CauseReason> = new Set<CauseReason>([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/** Every reason to refuse a pruned and defaulted custom resource; empty when it is valid. */
export function validateResource(
  schema: StructuralSchema,
  object: unknown,
  options: ResourceOptions = {},
): readonly StatusCause[] {
  const { old } = options;
  const hadDuplicates = old !== undefined && validateLists(schema, old).length > 0;
  const causes = [
    ...validateShape(schema, object, options),
    ...validateEmbedded(schema, object),
    ...(hadDuplicates ? [] : validateLists(schema, object)),
  ];
  if (!hasRules(schema)) return causes;
  if (causes.some(({ reason }) => blocking.has(reason))) {
    return [...causes, ...uncheckedRules(schema, [])];
  }
  return [...causes, ...checkRules(schema, object, { old })];
}

/** What is said of the rules of a schema when something else is wrong with the object; nothing if it is said already. */
export function uncheckedRules(
  schema: StructuralSchema,
  causes: readonly StatusCause[],
): readonly StatusCause[] {
  if (!hasRules(schema) || causes.some(({ field }) => field === noField)) return [];
  const detail =
    "some validation rules were not checked because the object was invalid; " +
    "correct the existing errors to complete validation";
  return [invalidValue(noField, null, detail)];
}

function validateShape(
  schema: StructuralSchema,
  object: unknown,
  { old, statusOnly }: ResourceOptions,
): readonly StatusCause[] {
  if (statusOnly !== true) return validate(schema, object, { old });
  const status = propertySchema(schema, "status");
  const value = isJsonObject(object) ? fieldOf(object, "status") : undefined;
  if (status === undefined || value === undefined) return [];
  const before = isJsonObject(old) ? fieldOf(old, "status") : undefined;
  return validate(status, value, { old: before, field: "status" });
}
