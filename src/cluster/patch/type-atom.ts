// How server-side apply sees a schema: each node may be a scalar, a list, a map, or several of them when its type is open.
// The rules are those by which the API server reads OpenAPI for its structured merge.
import { hasEmptyKeys } from "../../schema/empty-keys.ts";
import { isJsonArray, isJsonObject } from "../../schema/json-value.ts";
import { additionalSchema, propertySchema } from "../../schema/structural-schema.ts";
import type { StructuralSchema } from "../../schema/structural-schema.ts";

/** A node's type; undefined means that the schema does not declare the field. */
export type TypeNode = { readonly schema: StructuralSchema; readonly preserves: boolean } | undefined;

/** A list: owned whole, or item by item. */
export interface ListAtom {
  readonly atomic: boolean;
  /** Keys that identify items; empty in a set. */
  readonly keys: readonly string[];
  /** Whether required keys are empty where they are left out, as in Kubernetes' own types. */
  readonly emptyKeys: boolean;
  readonly item: TypeNode;
}

/** A map or struct: owned whole, or field by field. */
export interface MapAtom {
  readonly atomic: boolean;
  /** Whether the schema names this field. */
  declares(name: string): boolean;
  /** The type under a name; undefined when no such field is allowed. */
  typeOf(name: string): TypeNode;
}

/** What a scalar may be; `untyped` is any. */
export type ScalarAtom = "string" | "numeric" | "boolean" | "untyped";

/** What a node may hold: one of these, or several when its type is open. */
export interface Atom {
  readonly scalar?: ScalarAtom;
  readonly list?: ListAtom;
  readonly map?: MapAtom;
}

/** What a node holds, given a value. */
export type Form =
  | { readonly form: "map"; readonly map: MapAtom }
  | { readonly form: "list"; readonly list: ListAtom }
  | { readonly form: "scalar"; readonly scalar: ScalarAtom };

/** Anything: scalars, whole lists, maps field by field. What lies below preserved unknown fields. */
const deduced: NonNullable<TypeNode> = { schema: {}, preserves: true };

/** The type node at the root of a schema. */
export function typeNodeOf(schema: StructuralSchema): TypeNode {
  return nodeOf(schema, false);
}

/** What a node holds: in the form of its value where the type allows it, else in the type's own. */
export function formFor(node: TypeNode, value: unknown): Form {
  const { map, list, scalar } = atomOf(node);
  if (isJsonObject(value) && map !== undefined) return { form: "map", map };
  if (isJsonArray(value) && list !== undefined) return { form: "list", list };
  const isScalar = value !== null && value !== undefined && typeof value !== "object";
  if (isScalar && scalar !== undefined) return { form: "scalar", scalar };
  if (map !== undefined) return { form: "map", map };
  if (scalar !== undefined) return { form: "scalar", scalar };
  return list === undefined ? { form: "scalar", scalar: "untyped" } : { form: "list", list };
}

/** Nodes and atoms that were made of a schema before: every write walks the same ones. */
const nodes = {
  plain: new WeakMap<StructuralSchema, NonNullable<TypeNode>>(),
  preserving: new WeakMap<StructuralSchema, NonNullable<TypeNode>>(),
};
const atoms = new WeakMap<NonNullable<TypeNode>, Atom>();

function nodeOf(schema: StructuralSchema, inherited: boolean): NonNullable<TypeNode> {
  // Preserving unknown fields is inherited by everything below.
  const own = schema["x-kubernetes-preserve-unknown-fields"];
  const preserves = own ?? inherited;
  const known = preserves ? nodes.preserving : nodes.plain;
  let node = known.get(schema);
  if (node === undefined) known.set(schema, (node = { schema, preserves }));
  return node;
}

/** What a node may hold. */
export function atomOf(node: TypeNode = deduced): Atom {
  let atom = atoms.get(node);
  if (atom === undefined) atoms.set(node, (atom = makeAtom(node)));
  return atom;
}

function makeAtom(node: NonNullable<TypeNode>): Atom {
  const { type, format } = node.schema;
  if (node.schema["x-kubernetes-int-or-string"] !== true) {
    if (type === "object") return { map: mapOf(node) };
    if (type === "array") return { list: listOf(node) };
    if (type === "integer" || type === "number") return { scalar: "numeric" };
    if (type === "boolean") return { scalar: "boolean" };
    // Formatted strings may be anything that its Go type reads, numbers for instance.
    if (type === "string")
      return { scalar: format === undefined || format === "byte" ? "string" : "untyped" };
  }
  return { scalar: "untyped", list: listOf(node), map: mapOf(node) };
}

function listOf({ schema, preserves }: NonNullable<TypeNode>): ListAtom {
  const item = schema.items === undefined ? deduced : nodeOf(schema.items, preserves);
  const listType = schema["x-kubernetes-list-type"];
  const keys = listType === "map" ? (schema["x-kubernetes-list-map-keys"] ?? []) : [];
  return { atomic: listType !== "map" && listType !== "set", keys, emptyKeys: hasEmptyKeys(schema), item };
}

function mapOf({ schema, preserves }: NonNullable<TypeNode>): MapAtom {
  const additional = additionalSchema(schema);
  const isFreeForm = preserves || schema.properties === undefined;
  const others: TypeNode =
    additional !== undefined
      ? nodeOf(additional, preserves)
      : schema.additionalProperties === true || (schema.additionalProperties === undefined && isFreeForm)
        ? deduced
        : undefined;
  return {
    atomic: schema["x-kubernetes-map-type"] === "atomic",
    declares: (name) => propertySchema(schema, name) !== undefined,
    typeOf(name) {
      const declared = propertySchema(schema, name);
      return declared === undefined ? others : nodeOf(declared, preserves);
    },
  };
}
