// Field selectors: which fields a type lets be selected, and whether an object matches.
import type { ApiObject } from "../api-object.ts";
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
  return text
    .split(",")
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const match = /^\s*([^=!]+?)\s*(==|=|!=)\s*(.*?)\s*$/.exec(part);
      if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${part.trim()}'`);
      const [, field = "", operator = "", value = ""] = match;
      if (!allowed.includes(field)) {
        throw badRequest(unknownField(field, type));
      }
      return { field, equal: operator !== "!=", value: value.replaceAll(/\\(.)/g, "$1") };
    });
}

/** Types that offer fields of their own refuse others in their own words. */
function unknownField(field: string, { custom, kind, group, selectableFields }: ServedType): string {
  if (group === "batch" && kind === "Job") return `field label "${field}" not supported for Job`;
  return custom || selectableFields.length > 0
    ? `field label not supported: ${field}`
    : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function readField(object: ApiObject, field: string): string {
  const value = field === "metadata.name" ? object.metadata.name : valueAt(object, `.${field}`);
  return value === undefined || value === null
    ? ""
    : typeof value === "string"
      ? value
      : JSON.stringify(value);
}
