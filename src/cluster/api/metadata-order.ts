// The order in which the real server writes metadata; it makes answers easy to read and to compare.
import type { ApiMeta } from "./api-object.ts";

const order = [
  "name",
  "generateName",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "ownerReferences",
  "finalizers",
  "managedFields",
] as const;

/** The same metadata in that order, without what is undefined. */
export function orderMetadata(meta: {
  readonly [Name in keyof ApiMeta]: ApiMeta[Name] | undefined;
}): ApiMeta {
  const ordered: Partial<Record<keyof ApiMeta, unknown>> = {};
  for (const name of order) if (meta[name] !== undefined) ordered[name] = meta[name];
  return ordered as unknown as ApiMeta;
}
