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
        throw badRequest(
          type.custom
            ? `field label not supported: ${field}`
            : `"${field}" is not a known field selector: only ${allowed.map((each) => `"${each}"`).join(", ")}`,
        );
      }
      return { field, equal: operator !== "!=", value: value.replaceAll(/\\(.)/g, "$1") };
    });
}

function readField(object: ApiObject, field: string): string {
  const value = field === "metadata.name" ? object.metadata.name : valueAt(object, `.${field}`);
  return value === undefined || value === null
    ? ""
    : typeof value === "string"
      ? value
      : JSON.stringify(value);
}
