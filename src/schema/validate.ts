// Says how a value breaks its OpenAPI schema, in the API server's own words.
// Fed with pruned and defaulted objects on create and update; CEL rules (cel-rules.ts) run after it.
// On update an unchanged value is not complained about ("ratcheting"), so that a stricter schema locks nobody out.
import { equal, isJsonArray, isJsonObject } from "./json-value.ts";
import type { JsonObject } from "./json-value.ts";
import { correlateItems, isUnchanged } from "./correlate-items.ts";
import { invalidType, invalidValue, requiredValue, tooMany, unsupportedValue } from "./status-cause.ts";
import type { StatusCause } from "./status-cause.ts";
import { additionalSchema, propertySchema } from "./structural-schema.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { validateNumber, validateString } from "./validate-scalar.ts";
import { fieldAt, wholeOf } from "./value-place.ts";
import type { Place } from "./value-place.ts";
import { typeMismatch } from "./value-type.ts";

/** Options of {@link validate}. */
export interface ValidateOptions {
  /** The value before the update; parts equal to it are not complained about. */
  readonly old?: unknown;
  /**
   * Path of the value within its object, such as `status`; default the root.
   * It goes into the causes' `field` only: the server's messages speak of the path below it.
   */
  readonly field?: string;
}

/**
 * Every way in which a value breaks its schema; empty when it is valid.
 *
 * **Guarantees**: total and pure; the texts are those of kube-apiserver.
 * **Caveats**: duplicates in sets and map lists are found by {@link validateLists}, rules by `checkRules`.
 */
export function validate(
  schema: StructuralSchema,
  value: unknown,
  options: ValidateOptions = {},
): readonly StatusCause[] {
  const prefix = options.field ?? "";
  return validateValue(schema, value, { path: "", prefix, old: options.old });
}

function validateValue(schema: StructuralSchema, value: unknown, place: Place): StatusCause[] {
  if (place.old !== undefined && isUnchanged(schema, place.old, value)) return [];
  if (value === null && schema.nullable === true) return [];
  return [
    ...validateType(schema, value, place),
    ...validateCombinations(schema, value, place),
    ...(typeof value === "string" ? validateString(schema, value, place) : []),
    ...(typeof value === "number" ? validateNumber(schema, value, place) : []),
    ...(isJsonArray(value) ? validateArray(schema, value, place) : []),
    ...validateEnum(schema, value, place),
    ...(isJsonObject(value) ? validateObject(schema, value, place) : []),
  ];
}

function validateType(schema: StructuralSchema, value: unknown, place: Place): StatusCause[] {
  const mismatch = typeMismatch(schema, value);
  if (mismatch === undefined) return [];
  const { expected, given } = mismatch;
  const detail = `${place.path} in body must be of type ${expected}: ${JSON.stringify(given)}`;
  return [invalidType(fieldAt(place), given, detail)];
}

function validateEnum(schema: StructuralSchema, value: unknown, place: Place): StatusCause[] {
  if (schema.enum === undefined || schema.enum.some((each) => equal(each, value))) return [];
  const supported = schema.enum.map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
  return [unsupportedValue(fieldAt(place), value, supported)];
}

function validateArray(schema: StructuralSchema, value: readonly unknown[], place: Place): StatusCause[] {
  const causes: StatusCause[] = [];
  const { items } = schema;
  if (items !== undefined) {
    const olds = correlateItems(schema, place.old);
    for (const [index, item] of value.entries()) {
      const old = olds.oldOf(item);
      causes.push(...validateValue(items, item, { ...place, path: `${place.path}[${index}]`, old }));
    }
  }
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    const detail = `${place.path} in body should have at least ${schema.minItems} items`;
    causes.push(invalidValue(fieldAt(place), value.length, detail));
  }
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    causes.push(tooMany(fieldAt(place), value.length, schema.maxItems));
  }
  if (
    schema.uniqueItems === true &&
    value.some((item, index) => value.slice(0, index).some((e) => equal(e, item)))
  ) {
    causes.push(invalidValue(fieldAt(place), value, `${place.path} in body shouldn't contain duplicates`));
  }
  return causes;
}

function validateObject(schema: StructuralSchema, value: JsonObject, place: Place): StatusCause[] {
  const count = Object.keys(value).length;
  if (schema.minProperties !== undefined && count < schema.minProperties) {
    const detail = `${place.path} in body should have at least ${schema.minProperties} properties`;
    return [invalidValue(fieldAt(place), count, detail)];
  }
  if (schema.maxProperties !== undefined && count > schema.maxProperties) {
    return [tooMany(fieldAt(place), count, schema.maxProperties)];
  }
  const old = isJsonObject(place.old) ? place.old : {};
  const causes = Object.entries(value).flatMap(([name, child]) => {
    const childSchema = propertySchema(schema, name) ?? additionalSchema(schema);
    if (childSchema === undefined) return [];
    return validateValue(
      childSchema,
      child,
      below(place, name, Object.hasOwn(old, name) ? old[name] : undefined),
    );
  });
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) causes.push(requiredValue(fieldAt(below(place, name, undefined))));
  }
  return causes;
}

function validateCombinations(schema: StructuralSchema, value: unknown, place: Place): StatusCause[] {
  const fresh = { ...place, old: undefined };
  const causes: StatusCause[] = [];
  const blame = (detail: string): number =>
    causes.push(invalidValue(wholeOf(place), "", `${JSON.stringify(place.path)} ${detail}`));
  if (schema.anyOf !== undefined && schema["x-kubernetes-int-or-string"] !== true) {
    const failures = schema.anyOf.map((each) => validateValue(each, value, fresh));
    if (failures.every((each) => each.length > 0)) {
      blame("must validate at least one schema (anyOf)");
      causes.push(...fewest(failures));
    }
  }
  if (schema.oneOf !== undefined) {
    const failures = schema.oneOf.map((each) => validateValue(each, value, fresh));
    const valid = failures.filter((each) => each.length === 0).length;
    if (valid === 0) {
      blame("must validate one and only one schema (oneOf). Found none valid");
      causes.push(...fewest(failures));
    } else if (valid > 1) {
      blame(`must validate one and only one schema (oneOf). Found ${valid} valid alternatives`);
    }
  }
  if (schema.allOf !== undefined && schema["x-kubernetes-int-or-string"] !== true) {
    const failures = schema.allOf.flatMap((each) => validateValue(each, value, fresh));
    causes.push(...failures);
    if (failures.length > 0) blame("must validate all the schemas (allOf)");
  }
  if (schema.not !== undefined && validateValue(schema.not, value, fresh).length === 0) {
    blame("must not validate the schema (not)");
  }
  return causes;
}

/** The alternative that came closest: the server explains only that one. */
function fewest(failures: readonly StatusCause[][]): StatusCause[] {
  return failures.reduce((best, each) => (each.length < best.length ? each : best), failures[0] ?? []);
}

function below(place: Place, name: string, old: unknown): Place {
  return { ...place, path: place.path === "" ? name : `${place.path}.${name}`, old };
}
