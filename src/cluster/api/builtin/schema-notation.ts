// The notation in which the fields of the built-in types are written down, and how it becomes schemas.
//
//   Name (object) (atomic): field* Type, flag? bool, part+ Part, list [Type] map(key) merge(key), set [string] set, words {string}, key string=TCP
//
// `(object)` adds apiVersion, kind and metadata; `(atomic)` is owned as a whole; `*` is required; `?` is there even if it is empty,
// zero or false, once it is set (a pointer in the real server's structs); `+` is written even if nobody has set it, `?+` then as null; `map(…)` and `set` are the list types of server-side apply; `merge(…)`, `retain` and `replace` are the strategies of a strategic merge patch; `=` gives the default of
// a list key, by which items that leave it out are known; `#3` is the field's number in the protobuf form, `#2.3` that of a field
// within an inlined message. In JSON, fields stand in the order of their numbers, but for those with an `@`, as `#7@3`: behind the field
// with that number, or first with `@0`. Without numbers they stand as in the table.
import { OperatorError } from "../../../ports/operator-error.ts";
import { emptyKeys } from "../../../schema/empty-keys.ts";
import type { StructuralSchema } from "../../../schema/structural-schema.ts";

/** A table of types and the package name under which OpenAPI documents publish them. */
export interface SchemaTable {
  readonly packageName: string;
  readonly text: string;
}

/** When a field is written that is empty, zero or false: once it is set, or always, as null too. */
export type Presence = "set" | "always" | "null";

/** What the tables say. Of a struct they tell by its `properties`, which its refined copies share. */
export interface SchemaTables {
  /** Schemas by their full name, `package.Name`. */
  readonly schemas: ReadonlyMap<string, StructuralSchema>;
  /** The full name of a struct. */
  nameOf(schema: StructuralSchema): string | undefined;
  /** The fields of a struct by their numbers, like `3` or `2.3`. */
  fieldNumbersOf(schema: StructuralSchema): ReadonlyMap<string, string> | undefined;
  /** The places of a struct's fields in JSON. */
  fieldRanksOf(schema: StructuralSchema): ReadonlyMap<string, number> | undefined;
  /** When a field of a struct is written: if it is not empty, where there is nothing. */
  presenceOf(schema: StructuralSchema, field: string): Presence | undefined;
}

type MutableSchema = { -readonly [K in keyof StructuralSchema]: StructuralSchema[K] };

const primitives: Readonly<Record<string, StructuralSchema>> = {
  string: { type: "string" },
  int: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  bool: { type: "boolean" },
  number: { type: "number" },
  time: { type: "string", format: "date-time" },
  microtime: { type: "string", format: "micro-time" },
  bytes: { type: "string", format: "byte" },
  quantity: { type: "string", format: "quantity" },
  intstr: { "x-kubernetes-int-or-string": true, format: "int-or-string" },
  any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  raw: { type: "object", "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-map-type": "atomic" },
};

const fieldPattern =
  /^(?<name>[\w$-]+)(?<required>\*)?(?<presence>\?\+|[?+])?(?:#(?<number>[\d.]+)(?:@(?<behind>[\d.]+))?)? (?<type>[[{]*\w+[\]}]*)(?:=(?<value>\w+))?(?<atomic>!)?(?: (?<list>map|set)(?:\((?<keys>[^)]*)\))?)?(?: (?<merge>merge)(?:\((?<mergeKey>[^)]*)\))?)?(?: (?<retain>retain))?(?: (?<replace>replace))?$/;

/** Reads tables; a name is looked up in its own table first, then in the others. Errors: `SCHEMA_NOTATION_INVALID`. */
export function readSchemaTables(tables: readonly SchemaTable[], metadata: string): SchemaTables {
  const schemas = new Map<string, MutableSchema>();
  const copies: (() => void)[] = [];
  const names = new WeakMap<object, string>();
  const numbers = new WeakMap<object, ReadonlyMap<string, string>>();
  const presences = new WeakMap<object, ReadonlyMap<string, Presence>>();
  const ranks = new WeakMap<object, ReadonlyMap<string, number>>();
  const lines = tables.flatMap(({ packageName, text }) =>
    text
      .replaceAll(/\n\s+/g, " ")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => ({ packageName, line })),
  );
  for (const { packageName, line } of lines)
    schemas.set(`${packageName}.${nameIn(line)}`, { type: "object" });
  const resolve = (packageName: string, name: string): StructuralSchema => {
    const found =
      primitives[name] ??
      schemas.get(`${packageName}.${name}`) ??
      [...schemas].find(([full]) => full.endsWith(`.${name}`))?.[1];
    if (found === undefined) throw notation(`${packageName}: the type ${name} is in no table`);
    return found;
  };
  for (const { packageName, line } of lines) {
    const name = nameIn(line);
    const head = line.slice(0, line.indexOf(":"));
    const body = line.slice(line.indexOf(":") + 1).trim();
    const target = schemas.get(`${packageName}.${name}`);
    if (target === undefined) continue;
    if (head.includes("(atomic)")) target["x-kubernetes-map-type"] = "atomic";
    if (body === "any") {
      target["x-kubernetes-preserve-unknown-fields"] = true;
      continue;
    }
    const properties: Record<string, StructuralSchema> = {};
    const requiredFields: string[] = [];
    const fieldNumbers = new Map<string, string>();
    const presence = new Map<string, Presence>();
    const placed: PlacedField[] = [];
    if (head.includes("(object)")) {
      properties["apiVersion"] = primitives["string"] as StructuralSchema;
      properties["kind"] = primitives["string"] as StructuralSchema;
      properties["metadata"] = resolve(packageName, metadata);
      fieldNumbers.set("1", "metadata");
      placed.push({ name: "kind", number: "0.1" }, { name: "apiVersion", number: "0.2" });
      placed.push({ name: "metadata", number: "1" });
      presence.set("metadata", "always");
    }
    for (const field of body.split(/, (?![^(]*\))/)) {
      if (field === "") continue;
      const groups = fieldPattern.exec(field)?.groups;
      if (groups === undefined) throw notation(`${name}: "${field}" is not a field`);
      const { name: fieldName = "", required, number, behind, type = "" } = groups;
      placed.push({ name: fieldName, number, behind });
      const base = toSchema(type, (each) => resolve(packageName, each));
      const extras = extrasOf(base, groups);
      const refined: MutableSchema = { ...base, ...extras };
      properties[fieldName] = Object.keys(extras).length === 0 ? base : refined;
      // The struct that is copied may not have got its fields yet.
      copies.push(() => Object.assign(refined, base, extras));
      if (required !== undefined) requiredFields.push(fieldName);
      if (groups["presence"] === "?") presence.set(fieldName, "set");
      else if (groups["presence"] === "?+") presence.set(fieldName, "null");
      else if (required !== undefined || groups["presence"] === "+") presence.set(fieldName, "always");
      if (number !== undefined) fieldNumbers.set(number, fieldName);
    }
    target.properties = properties;
    names.set(properties, `${packageName}.${name}`);
    numbers.set(properties, fieldNumbers);
    presences.set(properties, presence);
    ranks.set(properties, ranksOf(placed));
    if (requiredFields.length > 0) target.required = requiredFields;
  }
  for (const copy of copies) copy();
  return {
    schemas,
    nameOf: ({ properties }) => (properties === undefined ? undefined : names.get(properties)),
    fieldNumbersOf: ({ properties }) => (properties === undefined ? undefined : numbers.get(properties)),
    fieldRanksOf: ({ properties }) => (properties === undefined ? undefined : ranks.get(properties)),
    presenceOf: ({ properties }, field) =>
      properties === undefined ? undefined : presences.get(properties)?.get(field),
  };
}

/** What a table says about the place of a field. */
interface PlacedField {
  readonly name: string;
  readonly number: string | undefined;
  /** The number of the field before it, where its own does not say it. */
  readonly behind?: string | undefined;
}

function ranksOf(fields: readonly PlacedField[]): ReadonlyMap<string, number> {
  const inOrder = fields.filter(({ behind }) => behind === undefined).toSorted(byNumber);
  let rest = fields.filter(({ behind }) => behind !== undefined);
  while (rest.length > 0) {
    const next = rest.find(({ behind }) => behind === "0" || inOrder.some(({ number }) => number === behind));
    if (next === undefined)
      throw notation(`${rest[0]?.name ?? ""}: there is no field @${rest[0]?.behind ?? ""}`);
    inOrder.splice(inOrder.findIndex(({ number }) => number === next.behind) + 1, 0, next);
    rest = rest.filter((each) => each !== next);
  }
  return new Map(inOrder.map(({ name }, rank) => [name, rank]));
}

/** Fields without a number stay as they are. */
function byNumber({ number: one = "" }: PlacedField, { number: other = "" }: PlacedField): number {
  if (one === "" || other === "") return 0;
  const [a, b] = [one.split(".").map(Number), other.split(".").map(Number)];
  const index = a.findIndex((part, at) => part !== b[at]);
  return index === -1 ? 0 : (a[index] ?? 0) - (b[index] ?? 0);
}

function nameIn(line: string): string {
  return /^\w+/.exec(line)?.[0] ?? "";
}

function toSchema(type: string, resolve: (name: string) => StructuralSchema): StructuralSchema {
  if (type.startsWith("[")) return { type: "array", items: toSchema(type.slice(1, -1), resolve) };
  if (type.startsWith("{")) {
    return { type: "object", additionalProperties: toSchema(type.slice(1, -1), resolve) };
  }
  return resolve(type);
}

/** What a field's modifiers add to the schema of its type. */
function extrasOf(
  schema: StructuralSchema,
  groups: Readonly<Record<string, string | undefined>>,
): Partial<StructuralSchema> {
  const { value, atomic, list, keys = "", merge, mergeKey, retain, replace } = groups;
  const strategy = [merge, retain === undefined ? undefined : "retainKeys", replace].filter(
    (each) => each !== undefined,
  );
  const listType = list === "map" || list === "set" ? list : "atomic";
  return {
    ...(value === undefined ? {} : { default: value }),
    ...(atomic === undefined ? {} : { "x-kubernetes-map-type": "atomic" as const }),
    ...(schema.type === "array" ? { "x-kubernetes-list-type": listType } : {}),
    ...(list === "map" ? { "x-kubernetes-list-map-keys": keys.split(","), ...emptyKeys } : {}),
    ...(strategy.length === 0 ? {} : { "x-kubernetes-patch-strategy": strategy.join(",") }),
    ...(mergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": mergeKey }),
  };
}

function notation(message: string): OperatorError {
  return new OperatorError("SCHEMA_NOTATION_INVALID", message, {
    remedy: "Correct the table under src/cluster/api/builtin/schemas.",
  });
}
