// Types of which only the metadata is read: the server leaves the rest out, so that it is neither sent nor held. Pure.
import type { KubeObject } from "./object.ts";
import { apiVersionOf, type ResourceType } from "./resource-type.ts";

/**
 * The type, read as metadata only: for `owns`, `reads` and `watches`, and for reads of what was declared so.
 *
 * What is read of it has `apiVersion`, `kind` and `metadata`, and no other field by type either. Memory and traffic are
 * those of the metadata, whatever the objects hold; a Secret's data never reaches the process.
 *
 * **Guarantees**: a change of anything in an object is still seen, as each changes its `resourceVersion`.
 * **Caveats**: a child of the registry that is owned so is compared with what a `get` in each run answers, as its cache
 * cannot tell.
 * **RBAC**: `list` and `watch` on the type, as for whole objects: Kubernetes has no right for metadata alone.
 *
 * @example
 * defineController(Site, { owns: [metadataOnly(Secret)], … });
 * lookUp(metadataOnly(Secret), key)?.metadata.labels;
 */
export function metadataOnly<TObject extends KubeObject>({
  group,
  version,
  kind,
  plural,
  namespaced,
}: ResourceType<TObject>): ResourceType<Pick<TObject, keyof KubeObject>> {
  return { group, version, kind, plural, namespaced, representation: "metadata" };
}

/** Whether only the metadata of a type is read. */
export function isMetadataOnly({ representation }: ResourceType): boolean {
  return representation === "metadata";
}

/** The object as its type is read: as it is, or its metadata, under its own kind instead of PartialObjectMetadata. */
export function represented<T extends KubeObject>(type: ResourceType<T>, object: T): T {
  if (!isMetadataOnly(type)) return object;
  const { metadata } = object;
  return { apiVersion: apiVersionOf(type), kind: type.kind, metadata } as T;
}
