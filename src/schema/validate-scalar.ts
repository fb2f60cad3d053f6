// The keywords of strings and numbers: lengths, patterns, formats, ranges.
// Called by validate.ts for every value of those types.
import { isFound } from "./regular-expression.ts";
import { hasFormat } from "./string-format.ts";
import { invalidType, invalidValue, tooLong } from "./status-cause.ts";
import type { StatusCause } from "./status-cause.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { fieldAt, wholeOf } from "./value-place.ts";
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
  const { multipleOf, minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  const causes = typeFaults("Checked", value, schema, place);
  const blame = (rule: string): number =>
    causes.push(invalidValue(fieldAt(place), value, `${place.path} in body should be ${rule}`));
  // What fits the type is compared as the value is: as a whole number with a whole one.
  const read = (bound: number, name: string): number => {
    const faults = typeFaults(name, bound, schema, place);
    causes.push(...faults);
    return faults.length === 0 && Number.isInteger(value) ? Math.trunc(bound) : bound;
  };
  if (multipleOf !== undefined) {
    const factor = read(multipleOf, "MultipleOf");
    if (factor <= 0) {
      const detail = `factor MultipleOf declared for ${place.path} must be positive: ${factor}`;
      causes.push(invalidValue(fieldAt(place), factor, detail));
    } else if (!isMultiple(value, factor)) blame(`a multiple of ${factor}`);
  }
  if (minimum !== undefined) {
    const least = read(minimum, "Minimum boundary");
    if (exclusiveMinimum && value <= least) blame(`greater than ${least}`);
    else if (value < least) blame(`greater than or equal to ${least}`);
  }
  if (maximum !== undefined) {
    const most = read(maximum, "Maximum boundary");
    if (exclusiveMaximum && value >= most) blame(`less than ${most}`);
    else if (value > most) blame(`less than or equal to ${most}`);
  }
  return causes;
}

/** What is wrong with a value, or with a bound that the schema sets it, for the type of the schema. */
function typeFaults(name: string, value: number, schema: StructuralSchema, place: Place): StatusCause[] {
  if (schema.type !== "integer") return [];
  const fits =
    Number.isInteger(value) &&
    (schema.format === "int32" ? Math.abs(value) <= 2 ** 31 : Math.abs(value) <= 2 ** 63) &&
    (schema.format !== "int32" || value !== 2 ** 31);
  if (fits) return [];
  const format = schema.format === undefined ? "(default format)" : `with format ${schema.format}`;
  const detail = `${name} value must be of type integer ${format} in ${place.path}`;
  return [invalidValue(wholeOf(place), "", detail)];
}

/** By the rule of the real server, for which what lies a little below a multiple is none. */
function isMultiple(value: number, factor: number): boolean {
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  const whole = Math.trunc(quotient);
  if (quotient === whole) return true;
  return whole !== 0 && Math.abs(quotient - whole) / Math.abs(quotient + whole) < 1e-9;
}

// A pattern that is not valid was refused when the CRD was created.
function matchesPattern(value: string, pattern: string): boolean {
  try {
    return isFound(pattern, value);
  } catch {
    return true;
  }
}
