// Which item of the old list an item of the new list continues: by key in map lists, nowhere else.
// Read by validation's ratcheting and by transition rules, which may speak only of items that have a past.
import { isJsonArray, isJsonObject } from "./json-value.ts";
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
