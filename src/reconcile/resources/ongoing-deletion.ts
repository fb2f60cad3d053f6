// The children of a custom resource that is being deleted: what the garbage collector does with them, so that the operator
// leaves it to that, and which of them are held by others. Read by the registry, by each Kubernetes resource, by the pipeline.
import type { KubeObject } from "../../meta/object.ts";
import { formatKey, keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { isOperatorError } from "../../ports/operator-error.ts";
import type { ClusterReader } from "./resource-scope.ts";

/** Whether the garbage collector deletes the children before their owner: one that is created now would be deleted at once. */
export function isCollectedFirst(cr: KubeObject): boolean {
  return isBeingDeletedWith(cr, "foregroundDeletion");
}

/** Whether the garbage collector takes our owner reference from the children: one that is written now would get it back. */
export function isBeingOrphaned(cr: KubeObject): boolean {
  return isBeingDeletedWith(cr, "orphan");
}

/** Whether a child has been orphaned: the deleted owner no longer controls it. */
export function isOrphaned(child: KubeObject, { metadata }: KubeObject): boolean {
  const { ownerReferences = [] } = child.metadata;
  return metadata.deletionTimestamp !== undefined && !ownerReferences.some(({ uid }) => uid === metadata.uid);
}

function isBeingDeletedWith({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizer) === true;
}

/** The children of a type as far as they are known: none while the type is unavailable. */
export function knownChildren(
  reader: Pick<ClusterReader, "owned">,
  type: ResourceType,
): readonly KubeObject[] {
  try {
    return reader.owned(type);
  } catch (error) {
    if (isOperatorError(error, "CACHE_UNAVAILABLE")) return [];
    throw error;
  }
}

/** Blockers named; the rest are counted. */
const named = 5;

/**
 * A sentence that names the children that are being deleted and the finalizers that hold them; undefined when there are
 * none. Reads the cache only. Errors: `CACHE_UNDECLARED` for a type that is not cached.
 */
export function deletionBlockers(
  reader: Pick<ClusterReader, "owned">,
  types: readonly ResourceType[],
): string | undefined {
  const held = types.flatMap((type) =>
    knownChildren(reader, type).flatMap((child) => {
      const { deletionTimestamp, finalizers = [] } = child.metadata;
      if (deletionTimestamp === undefined || finalizers.length === 0) return [];
      return [`${type.kind} ${formatKey(keyOf(child))} (held by ${finalizers.join(", ")})`];
    }),
  );
  if (held.length === 0) return undefined;
  const more = held.length - named;
  return `deletion waits for ${held.slice(0, named).join("; ")}${more > 0 ? ` and ${more} more` : ""}`;
}
