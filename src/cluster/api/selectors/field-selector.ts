// Field selectors: which fields a type lets be selected, and whether an object matches.
import { fieldsOf, type ApiObject } from "../api-object.ts";
import type { ServedType } from "../served-type.ts";
import { badRequest } from "../status-error.ts";
import { valueAt } from "../../../schema/json-path.ts";

/** One requirement on one field. */
export interface FieldRequirement {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

/** Whether all requirements hold. */
export function matchesFields(requirements: readonly FieldRequirement[], object: ApiObject): boolean {
  return requirements.every(({ field, equal, value }) => (readField(object, field) === value) === equal);
}

/** Reads the text of `fieldSelector`. Errors: 400 for a field that the type does not offer. */
export function parseFieldSelector(text: string, type: ServedType): readonly FieldRequirement[] {
  const allowed = [
    "metadata.name",
    ...(type.namespaced ? ["metadata.namespace"] : []),
    ...type.selectableFields.map((path) => path.replace(/^\./, "")),
  ];
  return partsOf(text).map((part) => {
    const requirement = readRequirement(part);
    if (requirement === undefined) {
      throw badRequest(`invalid selector: '${text}'; can't understand '${part.trim()}'`);
    }
    if (!allowed.includes(requirement.field)) throw badRequest(unknownField(requirement.field, type));
    return requirement;
  });
}

/** Whether a text is a selector of fields, whatever the type is. */
export function isFieldSelector(text: string): boolean {
  return partsOf(text).every((part) => readRequirement(part) !== undefined);
}

/** The one name that a selector leaves, whatever the type is: who asks for it asks for that object. */
export function selectedName(text: string): string | undefined {
  const requirements = partsOf(text).map(readRequirement);
  if (requirements.includes(undefined)) return undefined;
  return requirements.find((each) => each?.field === "metadata.name" && each.equal)?.value;
}

function partsOf(text: string): readonly string[] {
  return text.split(",").filter((part) => part.trim() !== "");
}

function readRequirement(part: string): FieldRequirement | undefined {
  const match = /^\s*([^=!]+?)\s*(==|=|!=)\s*(.*?)\s*$/.exec(part);
  if (match === null) return undefined;
  const [, field = "", operator = "", value = ""] = match;
  return { field, equal: operator !== "!=", value: value.replaceAll(/\\(.)/g, "$1") };
}

/** Types that offer fields of their own refuse others in their own words. */
function unknownField(field: string, { custom, kind, group, selectableFields }: ServedType): string {
  if (group === "batch" && kind === "Job") return `field label "${field}" not supported for Job`;
  return custom || selectableFields.length > 0
    ? `field label not supported: ${field}`
    : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function readField(object: ApiObject, field: string): string {
  const isTeller = field === "source" && object.kind === "Event" && object.apiVersion === "v1";
  const value = isTeller
    ? fieldsOf(object["source"])["component"] || object["reportingComponent"]
    : field === "metadata.name"
      ? object.metadata.name
      : valueAt(object, `.${field}`);
  return value === undefined || value === null
    ? ""
    : typeof value === "string"
      ? value
      : JSON.stringify(value);
}
