// One reason why the API server refuses an object, and the sentence that several of them make.
// Built by the validators of this folder; the API server puts them into `details.causes` of a 422 Status.
// Values are shown as JSON with sorted keys: strings quoted, absent ones `null`.
import { canonicalJson } from "./json-value.ts";

/** Why a field was refused: the `reason` of a cause. */
export type CauseReason =
  | "FieldValueInvalid"
  | "FieldValueRequired"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTypeInvalid"
  | "FieldValueNotFound"
  | "InternalError";

/** An entry of `details.causes` in a Status. */
export interface StatusCause {
  readonly reason: CauseReason;
  /** The server's text, without the field. */
  readonly message: string;
  /** Where, such as `spec.envs[1].name`; `<nil>` when the server names no field. */
  readonly field: string;
}

/** The field of causes that concern no single field. */
export const noField = "<nil>";

/** A value that breaks a rule. */
export function invalidValue(field: string, value: unknown, detail: string): StatusCause {
  return cause("FieldValueInvalid", field, withDetail(`Invalid value: ${canonicalJson(value)}`, detail));
}

/** A value of another type than declared; `given` is the type's or the string's text. */
export function invalidType(field: string, given: string, detail: string): StatusCause {
  return cause("FieldValueTypeInvalid", field, `Invalid value: ${JSON.stringify(given)}: ${detail}`);
}

/** A field that must be there. */
export function requiredValue(field: string, detail = ""): StatusCause {
  return cause("FieldValueRequired", field, withDetail("Required value", detail));
}

/** A value outside an enumeration. */
export function unsupportedValue(field: string, value: unknown, supported: readonly string[]): StatusCause {
  const list = supported.map((each) => JSON.stringify(each)).join(", ");
  return cause(
    "FieldValueNotSupported",
    field,
    `Unsupported value: ${canonicalJson(value)}: supported values: ${list}`,
  );
}

/** An item that occurs twice in a set or map list. */
export function duplicateValue(field: string, value: unknown): StatusCause {
  return cause("FieldValueDuplicate", field, `Duplicate value: ${canonicalJson(value)}`);
}

/** Something that may not be done to a field. */
export function forbiddenValue(field: string, detail: string): StatusCause {
  return cause("FieldValueForbidden", field, withDetail("Forbidden", detail));
}

/** A text over its limit. */
export function tooLong(field: string, limit: number): StatusCause {
  return cause("FieldValueTooLong", field, `Too long: may not be more than ${limit} bytes`);
}

/** A list or map with too many entries. */
export function tooMany(field: string, actual: number, limit: number): StatusCause {
  const items = limit === 1 ? "item" : "items";
  return cause("FieldValueTooMany", field, `Too many: ${actual}: must have at most ${limit} ${items}`);
}

/**
 * The text of several causes, as it follows `… is invalid: ` in the server's message:
 * each once, in brackets when there are several.
 */
export function joinCauses(causes: readonly StatusCause[]): string {
  const texts = [...new Set(causes.map((each) => `${each.field}: ${each.message}`))];
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}

function withDetail(head: string, detail: string): string {
  return detail === "" ? head : `${head}: ${detail}`;
}

function cause(reason: CauseReason, field: string, message: string): StatusCause {
  return { reason, message, field };
}
