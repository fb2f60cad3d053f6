// The keywords of strings and numbers: lengths, patterns, formats, ranges.
// Called by validate.ts for every value of those types.
import { isFound } from "./regular-expression.ts";
import { hasFormat } from "./string-format.ts";
import { invalidType, invalidValue, noField, tooLong } from "./status-cause.ts";
import type { StatusCause } from "./status-cause.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { fieldAt } from "./value-place.ts";
import type { Place } from "./value-place.ts";

/** How a string breaks its schema: of length and pattern only the first is reported. */
export function validateString(schema: StructuralSchema, value: string, place: Place): StatusCause[] {
  const causes = checkText(schema, value, place);
  if (schema.format !== undefined && !hasFormat(value, schema.format)) {
    const detail = `${place.path} in body must be of type ${schema.format}: ${JSON.stringify(value)}`;
    causes.push(invalidType(fieldAt(place), value, detail));
  }
  return causes;
}

function checkText(schema: StructuralSchema, value: string, place: Place): StatusCause[] {
  const { maxLength, minLength, pattern } = schema;
  const length = Array.from(value).length;
  if (maxLength !== undefined && length > maxLength) return [tooLong(fieldAt(place), maxLength)];
  const blame = (rule: string): StatusCause[] => [
    invalidValue(fieldAt(place), value, `${place.path} in body should ${rule}`),
  ];
  if (minLength !== undefined && length < minLength) return blame(`be at least ${minLength} chars long`);
  return pattern !== undefined && !matchesPattern(value, pattern) ? blame(`match '${pattern}'`) : [];
}

/** How a number breaks its schema. */
export function validateNumber(schema: StructuralSchema, value: number, place: Place): StatusCause[] {
  const causes: StatusCause[] = validateNumberFormat(schema, value, place);
  const blame = (rule: string): number =>
    causes.push(invalidValue(fieldAt(place), value, `${place.path} in body should be ${rule}`));
  const { multipleOf, minimum, maximum } = schema;
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) blame(`a multiple of ${multipleOf}`);
  if (maximum !== undefined) {
    if (schema.exclusiveMaximum === true && value >= maximum) blame(`less than ${maximum}`);
    else if (value > maximum) blame(`less than or equal to ${maximum}`);
  }
  if (minimum !== undefined) {
    if (schema.exclusiveMinimum === true && value <= minimum) blame(`greater than ${minimum}`);
    else if (value < minimum) blame(`greater than or equal to ${minimum}`);
  }
  return causes;
}

function validateNumberFormat(schema: StructuralSchema, value: number, place: Place): StatusCause[] {
  if (schema.type !== "integer") return [];
  const fits =
    Number.isInteger(value) &&
    (schema.format === "int32" ? Math.abs(value) <= 2 ** 31 : Math.abs(value) <= 2 ** 63) &&
    (schema.format !== "int32" || value !== 2 ** 31);
  if (fits) return [];
  const format = schema.format === undefined ? "(default format)" : `with format ${schema.format}`;
  const detail = `Checked value must be of type integer ${format} in ${place.path}`;
  return [invalidValue(noField, "", detail)];
}

function isMultiple(value: number, factor: number): boolean {
  const quotient = value / factor;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}

// A pattern that is not valid was refused when the CRD was created.
function matchesPattern(value: string, pattern: string): boolean {
  try {
    return isFound(pattern, value);
  } catch {
    return true;
  }
}
