// The columns of `kubectl get` for custom resources: the CRD's printer columns, or name and age.
import type { ColumnDefinition } from "./crd-definition.ts";
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
  const path = compileJsonPath(definition.jsonPath) ?? [];
  return {
    name: definition.name,
    type: definition.type,
    format: definition.format,
    description:
      definition.description === ""
        ? `Custom resource definition column (in JSONPath format): ${definition.jsonPath}`
        : definition.description,
    priority: definition.priority,
    cell: (object, now) => toCell(valuesAt(object, path), definition.type, now),
  };
}

function toCell(values: readonly unknown[], type: string, now: number): unknown {
  const value = values[0];
  if (value === undefined || value === null) return null;
  switch (type) {
    case "date":
      return formatAgeOf(value, now);
    case "integer":
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    default:
      return typeof value === "string"
        ? values.length === 1
          ? value
          : values.map(printValue).join(" ")
        : printValue(value);
  }
}

function printValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
