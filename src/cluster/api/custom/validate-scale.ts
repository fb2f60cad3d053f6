// What the scale subresource demands of an object: whole numbers of 32 bits that are not negative, where its paths point.
import type { StatusCause } from "../../../schema/status-cause.ts";
import { valueAt } from "../../../schema/json-path.ts";
import { isFields, type ApiObject } from "../api-object.ts";
import type { ScalePaths } from "../served-type.ts";

/** Faults of what a CRD's scale paths point at; a write to the status is judged by the status alone. */
export function validateScale(
  paths: ScalePaths,
  object: ApiObject,
  subresource: string | undefined,
): readonly StatusCause[] {
  if (subresource !== "status") return replicasFaults(object, paths.specReplicasPath);
  const { statusReplicasPath, labelSelectorPath } = paths;
  return [
    ...replicasFaults(object, statusReplicasPath),
    ...(labelSelectorPath === undefined ? [] : selectorFaults(object, labelSelectorPath)),
  ];
}

/** The greatest number of 32 bits. */
const most = 2_147_483_647;

function replicasFaults(object: ApiObject, path: string): readonly StatusCause[] {
  const found = foundAt(object, path);
  if ("fault" in found) return [invalidAt(path, "0", found.fault)];
  const { value } = found;
  if (value === undefined) return [];
  if (typeof value !== "number" || !Number.isInteger(value)) {
    return [invalidAt(path, "0", accessorFault(path, value, "int64"))];
  }
  if (value < 0) return [invalidAt(path, String(value), "should be a non-negative integer")];
  return value > most ? [invalidAt(path, String(value), `should be less than or equal to ${most}`)] : [];
}

function selectorFaults(object: ApiObject, path: string): readonly StatusCause[] {
  const found = foundAt(object, path);
  if ("fault" in found) return [invalidAt(path, '""', found.fault)];
  const { value } = found;
  if (value === undefined || typeof value === "string") return [];
  return [invalidAt(path, '""', accessorFault(path, value, "string"))];
}

/** What is at a path, or what is wrong with something on the way to it. */
function foundAt(object: ApiObject, path: string): { readonly value: unknown } | { readonly fault: string } {
  const names = path.split(".").slice(1, -1);
  for (const index of names.keys()) {
    const around = valueAt(object, `.${names.slice(0, index + 1).join(".")}`);
    if (around === undefined) return { value: undefined };
    if (!isFields(around)) return { fault: accessorFault(path, around, "map[string]interface{}") };
  }
  return { value: valueAt(object, path) };
}

function accessorFault(path: string, value: unknown, expected: string): string {
  const shown = typeof value === "string" ? value : JSON.stringify(value);
  return `${path} accessor error: ${shown} is of the type ${goType(value)}, expected ${expected}`;
}

function goType(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function invalidAt(path: string, given: string, detail: string): StatusCause {
  return { reason: "FieldValueInvalid", message: `Invalid value: ${given}: ${detail}`, field: path };
}
