// Which item of the old list an item of the new list continues: by key in map lists, nowhere else; and so what an update leaves as it is.
// Read by validation's ratcheting and by transition rules, which may speak only of items that have a past.
import { equal, isJsonArray, isJsonObject } from "./json-value.ts";
import { additionalSchema, propertySchema } from "./structural-schema.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** The old items by identity. */
export interface OldItems {
  /** The item that this one continues; undefined when it is new or items have no identity. */
  oldOf(item: unknown): unknown;
}

const nothing: OldItems = { oldOf: () => undefined };

/** Looks up items of an old list by the keys of their map list. */
export function correlateItems(schema: StructuralSchema, old: unknown): OldItems {
  if (schema["x-kubernetes-list-type"] !== "map" || !isJsonArray(old)) return nothing;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const byKey = new Map<string, unknown>();
  for (const item of old) {
    const key = itemKey(keys, item);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
  }
  return {
    oldOf(item) {
      const key = itemKey(keys, item);
      return key === undefined ? undefined : byKey.get(key);
    },
  };
}

/** A text that two items of a map list share exactly when they are the same entry. */
export function itemKey(keys: readonly string[], item: unknown): string | undefined {
  if (!isJsonObject(item)) return undefined;
  return JSON.stringify(keys.map((key) => (Object.hasOwn(item, key) ? item[key] : null)));
}

/** Whether an update leaves a value as it is: the items of a map list may have changed places. */
export function isUnchanged(schema: StructuralSchema, old: unknown, value: unknown): boolean {
  if (equal(old, value)) return true;
  if (!hasMapLists(schema)) return false;
  if (isJsonArray(value)) {
    const { items } = schema;
    if (!isJsonArray(old) || old.length !== value.length || items === undefined) return false;
    const olds = correlateItems(schema, old);
    return value.every((item) => {
      const before = olds.oldOf(item);
      return before !== undefined && isUnchanged(items, before, item);
    });
  }
  if (!isJsonObject(old) || !isJsonObject(value)) return false;
  const names = Object.keys(value);
  return (
    names.length === Object.keys(old).length &&
    names.every((name) => {
      const child = propertySchema(schema, name) ?? additionalSchema(schema) ?? {};
      return Object.hasOwn(old, name) && isUnchanged(child, old[name], value[name]);
    })
  );
}

const withMapLists = new WeakMap<StructuralSchema, boolean>();

function hasMapLists(schema: StructuralSchema): boolean {
  const known = withMapLists.get(schema);
  if (known !== undefined) return known;
  const { items, properties = {} } = schema;
  const additional = additionalSchema(schema);
  const children = [
    ...Object.values(properties),
    ...(items ? [items] : []),
    ...(additional ? [additional] : []),
  ];
  const found = schema["x-kubernetes-list-type"] === "map" || children.some(hasMapLists);
  withMapLists.set(schema, found);
  return found;
}
