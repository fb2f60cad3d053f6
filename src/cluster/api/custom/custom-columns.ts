// The columns of `kubectl get` for custom resources: the CRD's printer columns, or name and age.
import type { ColumnDefinition } from "./crd-definition.ts";
import { canonicalJson } from "../../../schema/json-value.ts";
import { compileJsonPath, valuesAt } from "../../../schema/json-path.ts";
import type { Column } from "../served-type.ts";
import { formatAgeOf } from "../representation/age.ts";
import { nameColumn } from "../representation/name-column.ts";

const ageColumn: ColumnDefinition = {
  name: "Age",
  type: "date",
  format: "",
  description: "",
  priority: 0,
  jsonPath: ".metadata.creationTimestamp",
};

/** The columns of a custom resource. */
export function customColumns(definitions: readonly ColumnDefinition[]): readonly Column[] {
  const shown = definitions.length === 0 ? [ageColumn] : definitions;
  return [nameColumn, ...shown.map(toColumn)];
}

function toColumn(definition: ColumnDefinition): Column {
  const path = compileJsonPath(definition.jsonPath);
  return {
    name: definition.name,
    type: definition.type,
    format: definition.format,
    description:
      definition.description === ""
        ? `Custom resource definition column (in JSONPath format): ${definition.jsonPath}`
        : definition.description,
    priority: definition.priority,
    cell: (object, now) =>
      path === undefined ? null : toCell(valuesAt(object, path)[0], definition.type, now),
  };
}

/** Of several values the first one is shown. */
function toCell(value: unknown, type: string, now: number): unknown {
  if (value === undefined) return null;
  switch (type) {
    case "date":
      return typeof value === "string" ? ageOf(value, now) : null;
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    default:
      return printValue(value);
  }
}

const instant = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

function ageOf(text: string, now: number): string {
  return text === "" || instant.test(text) ? formatAgeOf(text, now) : "<invalid>";
}

function printValue(value: unknown): string {
  if (value === null) return "<no value>";
  if (typeof value === "string") return value;
  return canonicalJson(value).replaceAll(
    /[<>&]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );
}
