// Field selectors: which fields a type lets be selected, and whether an object matches.
import type { ApiObject } from "../api-object.ts";
import type { ServedType } from "../served-type.ts";
import { badRequest, StatusError } from "../status-error.ts";

/** One requirement on one field. */
export interface FieldRequirement {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

/** A requirement whose field is known how to be read. */
export interface ReadableRequirement extends FieldRequirement {
  readonly read: (object: ApiObject) => unknown;
}

/** Whether all requirements hold. */
export function matchesFields(requirements: readonly ReadableRequirement[], object: ApiObject): boolean {
  return requirements.every(({ read, equal, value }) => (asText(read(object)) === value) === equal);
}

/** Reads the text of `fieldSelector`, whatever the type is. Errors: 400. */
export function readFieldSelector(text: string): readonly FieldRequirement[] {
  return partsOf(text)
    .map((part) => {
      const { field, operator, value } =
        /^(?<field>.*?)(?<operator>!=|==|=)(?<value>.*)$/s.exec(part)?.groups ?? {};
      if (field === undefined || value === undefined) {
        throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
      }
      return { field, equal: operator !== "!=", value: unescaped(value) };
    })
    .filter(({ field, value }) => field !== "" || value !== "");
}

/** Reads the text of `fieldSelector` for a type. Errors: 400, also for a field that the type does not offer. */
export function parseFieldSelector(text: string, type: ServedType): readonly ReadableRequirement[] {
  return readFieldSelector(text).map((requirement) => {
    const read = readerOf(requirement.field, type);
    if (read === undefined) throw badRequest(unknownField(requirement.field, type));
    return { ...requirement, read };
  });
}

/** Whether a text is a selector of fields, whatever the type is. */
export function isFieldSelector(text: string): boolean {
  try {
    readFieldSelector(text);
    return true;
  } catch (error) {
    if (error instanceof StatusError) return false;
    throw error;
  }
}

/** The one name that a selector leaves, whatever the type is: who asks for it asks for that object. */
export function selectedName(text: string): string | undefined {
  if (!isFieldSelector(text)) return undefined;
  return readFieldSelector(text).find(({ field, equal }) => field === "metadata.name" && equal)?.value;
}

/** Between commas, in the order in which they are looked at. */
function partsOf(text: string): readonly string[] {
  return (text.match(/(?:\\[^]|[^\\,]|\\$)+/g) ?? []).toSorted();
}

/** A value in which commas, equals signs and backslashes stand behind a backslash. Errors: 400. */
function unescaped(value: string): string {
  return value.replaceAll(/\\([^]?)|[,=]/gu, (sign, escaped?: string) => {
    if (escaped === undefined) {
      throw badRequest(`invalid field selector: unescaped character in value: ${sign.codePointAt(0)}`);
    }
    if (escaped === "" || !"\\,=".includes(escaped)) {
      throw badRequest(`invalid field selector: invalid escape sequence: ${sign}`);
    }
    return escaped;
  });
}

function readerOf(
  field: string,
  { namespaced, selectable }: ServedType,
): ReadableRequirement["read"] | undefined {
  if (field === "metadata.name") return ({ metadata }) => metadata.name;
  // A type without fields of its own knows the namespace even where it has none.
  if (field === "metadata.namespace" && (namespaced || selectable === undefined)) {
    return ({ metadata }) => metadata.namespace;
  }
  return selectable?.fields.get(field);
}

/** Types that offer fields of their own refuse others in their own words. */
function unknownField(field: string, { selectable }: ServedType): string {
  return (
    selectable?.unknown(field) ??
    `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
  );
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
