// The lists and maps of a custom type, read from its schema as an API server publishes it (OpenAPI v3): which lists are keyed, which are
// sets, and which maps are one value as a whole, at any depth. Pure; kept by learned-lists.ts.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
import type { ResourceType } from "../../meta/resource-type.ts";
import type { ListType } from "./list-types.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A part of a schema in which something is not as by default. */
interface Part {
  readonly type?: ListType;
  readonly fields: ReadonlyMap<string, Part>;
  /** The elements of a list. */
  readonly items?: Part;
  /** The values of a map with free keys. */
  readonly values?: Part;
}

/** Schemas refer to one another; custom types have no deeper ones, and no circles. */
const deepest = 64;

/** What one type's schema says of its lists and maps. */
export class SchemaLists {
  readonly #root: Part;
  /** Whether any map is one value as a whole. */
  readonly hasWholeMaps: boolean;

  constructor(root: Part) {
    this.#root = root;
    this.hasWholeMaps = hasWholeMap(root);
  }

  /** Of the list or the map at a path, whose elements of lists are the segment `*`; undefined: as by default. */
  at(path: string): ListType | undefined {
    return partAt(this.#root, path.split("."), 0)?.type;
  }
}

/** What a document of `/openapi/v3` says of a type; undefined when it does not have it. */
export function schemaListsOf(document: unknown, type: ResourceType): SchemaLists | undefined {
  const schemas = fieldsOf(fieldsOf(fieldsOf(document)["components"])["schemas"]);
  const schema = Object.values(schemas).find((each) => isOf(each, type));
  if (schema === undefined) return undefined;
  const { properties } = fieldsOf(schema);
  // Of metadata the tables know; a status is nobody's intent.
  const { metadata: _metadata, status: _status, ...own } = fieldsOf(properties);
  const read = partOf({ ...fieldsOf(schema), properties: own }, schemas, 0);
  return new SchemaLists(read ?? { fields: new Map() });
}

function isOf(schema: unknown, { group, version, kind }: ResourceType): boolean {
  const kinds: unknown = fieldsOf(schema)["x-kubernetes-group-version-kind"];
  const list: readonly unknown[] = Array.isArray(kinds) ? kinds : [];
  return list.some((each) => {
    const named = fieldsOf(each);
    return named["group"] === group && named["version"] === version && named["kind"] === kind;
  });
}

function partOf(given: unknown, schemas: Fields, depth: number): Part | undefined {
  if (depth > deepest) return undefined;
  const schema = resolved(given, schemas);
  const inner = (each: unknown): Part | undefined => partOf(each, schemas, depth + 1);
  const fields = new Map<string, Part>();
  for (const [name, each] of Object.entries(fieldsOf(schema["properties"]))) {
    const part = inner(each);
    if (part !== undefined) fields.set(name, part);
  }
  const type = typeOf(schema);
  const items = schema["items"] === undefined ? undefined : inner(schema["items"]);
  const { additionalProperties } = schema;
  const values = isFields(additionalProperties) ? inner(additionalProperties) : undefined;
  if (type === undefined && items === undefined && values === undefined && fields.size === 0)
    return undefined;
  return {
    fields,
    ...(type === undefined ? {} : { type }),
    ...(items === undefined ? {} : { items }),
    ...(values === undefined ? {} : { values }),
  };
}

/** A reference stands in a list of one. */
function resolved(given: unknown, schemas: Fields): Fields {
  const schema = fieldsOf(given);
  const { $ref, allOf } = schema;
  const only: unknown = Array.isArray(allOf) && allOf.length === 1 ? allOf[0] : undefined;
  const reference = $ref ?? fieldsOf(only)["$ref"];
  if (typeof reference !== "string") return schema;
  return { ...fieldsOf(schemas[reference.replace("#/components/schemas/", "")]), ...schema };
}

function typeOf(schema: Fields): ListType | undefined {
  if (schema["x-kubernetes-map-type"] === "atomic") return { type: "atomic" };
  if (schema["x-kubernetes-list-type"] === "set") return { type: "set" };
  if (schema["x-kubernetes-list-type"] !== "map") return undefined;
  const keys: unknown = schema["x-kubernetes-list-map-keys"];
  const names = Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : [];
  const properties = fieldsOf(fieldsOf(schema["items"])["properties"]);
  const defaults = Object.fromEntries(
    names.flatMap((key) => {
      const value = fieldsOf(properties[key])["default"];
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
  return { type: "map", keys: names, ordered: false, defaults };
}

/** A key of a map may hold dots, so several segments may be one name. */
function partAt(part: Part, segments: readonly string[], from: number): Part | undefined {
  if (from === segments.length) return part;
  const { fields, items, values } = part;
  if (segments[from] === "*" && items !== undefined) return partAt(items, segments, from + 1);
  for (let to = from + 1; to <= segments.length; to += 1) {
    const field = fields.get(segments.slice(from, to).join("."));
    const found = field === undefined ? undefined : partAt(field, segments, to);
    if (found !== undefined) return found;
  }
  if (values === undefined) return undefined;
  for (let to = from + 1; to <= segments.length; to += 1) {
    const found = partAt(values, segments, to);
    if (found !== undefined) return found;
  }
  return undefined;
}

function hasWholeMap({ type, fields, items, values }: Part): boolean {
  if (type?.type === "atomic") return true;
  return [...fields.values(), items, values].some((each) => each !== undefined && hasWholeMap(each));
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
