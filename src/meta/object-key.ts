// The name of one instance within its type: what queues, stores and logs use.
import type { ManifestMeta } from "./object.ts";

/** Namespace and name; the namespace is absent on a cluster-scoped object. */
export interface ObjectKey {
  /** Absent for objects that live in none. */
  readonly namespace?: string;
  /** Its name. */
  readonly name: string;
}

/** The key of an object or manifest; it has a namespace where that has one. */
export function keyOf(object: {
  readonly metadata: ManifestMeta & { readonly namespace: string };
}): Required<ObjectKey>;
export function keyOf(object: {
  readonly metadata: ManifestMeta & { readonly namespace?: never };
}): ObjectKey & { readonly namespace?: never };
export function keyOf(object: { readonly metadata: ManifestMeta }): ObjectKey;
export function keyOf(object: { readonly metadata: ManifestMeta }): ObjectKey {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? { name } : { namespace, name };
}

/** `namespace/name`, or `name` when cluster-scoped; the inverse of {@link parseKey}. */
export function formatKey(key: ObjectKey): string {
  return key.namespace === undefined || key.namespace === "" ? key.name : `${key.namespace}/${key.name}`;
}

/** The key in a string made by {@link formatKey}. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf("/");
  return slash < 0 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}
