// What an object goes through before it is stored: shrunk, then frozen, because all readers share it.
import type { KubeObject } from "../meta/object.ts";

/** Drops `metadata.managedFields`, which no reader needs and which is often a third of the object. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Freezes a JSON value in depth and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}
