// The parts of a CustomResourceDefinition that the server acts on, read from its loosely typed JSON.
import { comparePriority } from "../../../kinds/versions/version-priority.ts";
import type { StructuralSchema } from "../../../schema/structural-schema.ts";
import { fieldsList, fieldsOf, isFields, listOf, type ApiObject, type Fields } from "../api-object.ts";
import type { ScalePaths } from "../served-type.ts";

/** A printer column of a version. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  readonly jsonPath: string;
}

/** One version of a definition. */
export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  /** Absent: nothing is known of the objects. */
  readonly schema: StructuralSchema | undefined;
  readonly hasStatus: boolean;
  readonly scale: ScalePaths | undefined;
  readonly columns: readonly ColumnDefinition[];
  /** Paths without the dot in front. */
  readonly selectableFields: readonly string[];
  /** The warning of a deprecated version. */
  readonly deprecation: string | undefined;
}

/** A definition. */
export interface CrdDefinition {
  readonly name: string;
  readonly group: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly versions: readonly CrdVersion[];
  readonly isDeleting: boolean;
  /** Where the conversion webhook is; undefined for the strategy None. */
  readonly conversionClient: unknown;
}

/** Reads a definition. */
export function readDefinition(object: ApiObject): CrdDefinition {
  const spec = fieldsOf(object["spec"]);
  const names = fieldsOf(spec["names"]);
  const group = textOf(spec["group"]);
  const kind = textOf(names["kind"]);
  return {
    name: object.metadata.name,
    group,
    kind,
    listKind: textOf(names["listKind"], `${kind}List`),
    plural: textOf(names["plural"]),
    singular: textOf(names["singular"], kind.toLowerCase()),
    shortNames: listOf(names["shortNames"]).map(String),
    categories: listOf(names["categories"]).map(String),
    namespaced: spec["scope"] !== "Cluster",
    versions: fieldsList(spec["versions"]).map((version, _, all) =>
      readVersion(version, deprecationOf(version, all, { group, kind })),
    ),
    isDeleting: object.metadata.deletionTimestamp !== undefined,
    conversionClient: conversionClient(fieldsOf(spec["conversion"])),
  };
}

function conversionClient({ strategy, webhook }: Fields): unknown {
  return strategy === "Webhook" ? (fieldsOf(webhook)["clientConfig"] ?? {}) : undefined;
}

/** What is said of a version that is deprecated, by default where something better is served; undefined for one that is not. */
function deprecationOf(
  version: Fields,
  all: readonly Fields[],
  { group, kind }: { readonly group: string; readonly kind: string },
): string | undefined {
  if (version["deprecated"] !== true) return undefined;
  const name = textOf(version["name"]);
  const [better] = all
    .filter((each) => each["served"] === true && each["deprecated"] !== true)
    .map((each) => textOf(each["name"]))
    .filter((other) => comparePriority(other, name) < 0)
    .sort(comparePriority);
  const instead = better === undefined ? "" : `; use ${group}/${better} ${kind}`;
  return textOf(version["deprecationWarning"], `${group}/${name} ${kind} is deprecated${instead}`);
}

function readVersion(version: Fields, deprecation: string | undefined): CrdVersion {
  const name = textOf(version["name"]);
  const subresources = fieldsOf(version["subresources"]);
  const scale = subresources["scale"];
  const schema = fieldsOf(version["schema"])["openAPIV3Schema"];
  return {
    name,
    served: version["served"] === true,
    storage: version["storage"] === true,
    schema: isFields(schema) ? schema : undefined,
    hasStatus: isFields(subresources["status"]),
    scale: isFields(scale)
      ? {
          specReplicasPath: textOf(scale["specReplicasPath"]),
          statusReplicasPath: textOf(scale["statusReplicasPath"]),
          ...(typeof scale["labelSelectorPath"] === "string"
            ? { labelSelectorPath: scale["labelSelectorPath"] }
            : {}),
        }
      : undefined,
    columns: fieldsList(version["additionalPrinterColumns"]).map((column) => ({
      name: textOf(column["name"]),
      type: textOf(column["type"]),
      format: textOf(column["format"]),
      description: textOf(column["description"]),
      priority: typeof column["priority"] === "number" ? column["priority"] : 0,
      jsonPath: textOf(column["jsonPath"]),
    })),
    selectableFields: fieldsList(version["selectableFields"]).map((field) =>
      textOf(field["jsonPath"]).replace(/^\./, ""),
    ),
    deprecation,
  };
}

function textOf(value: unknown, fallback = ""): string {
  return typeof value === "string" && value !== "" ? value : fallback;
}
