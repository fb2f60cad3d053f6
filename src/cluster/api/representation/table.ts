// The Table form of objects, which `kubectl get` prints.
import type { ApiObject } from "../api-object.ts";
import type { MetaVersion } from "../requests/media-type.ts";
import type { ServedType } from "../served-type.ts";
import { badRequest } from "../status-error.ts";
import { toPartial } from "./partial-object.ts";

/** Which form of the object a row carries. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** A table of objects. `metadata` is that of the list. */
export function toTable(
  type: ServedType,
  objects: readonly ApiObject[],
  options: {
    readonly metadata: unknown;
    readonly version: MetaVersion;
    readonly include: IncludeObject;
    readonly now: number;
    /** Later tables of a watch leave out the definitions. */
    readonly withDefinitions: boolean;
  },
): unknown {
  const { metadata, version, include, now, withDefinitions } = options;
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    columnDefinitions: withDefinitions
      ? type.columns.map(({ name, type: columnType, format = "", description = "", priority = 0 }) => ({
          name,
          type: columnType,
          format,
          description,
          priority,
        }))
      : null,
    rows: objects.map((object) => ({
      cells: type.columns.map((column) => column.cell(object, now)),
      ...conditionsOf(type, object),
      object: include === "None" ? null : include === "Object" ? object : toPartial(type, object, version),
    })),
  };
}

function conditionsOf(type: ServedType, object: ApiObject): object {
  const conditions = type.rowConditions?.(object) ?? [];
  return conditions.length === 0 ? {} : { conditions };
}

/** What `includeObject` of a query asks for. Errors: 400. */
export function includeOf(query: URLSearchParams): IncludeObject {
  const value = query.get("includeObject") ?? "";
  if (value === "" || value === "Metadata") return "Metadata";
  if (value === "None" || value === "Object") return value;
  const fault = `includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: ${fault}`);
}
