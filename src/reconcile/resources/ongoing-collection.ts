// What the garbage collector does with the children of a custom resource that is being deleted, and what the operator
// therefore leaves to it. Read by the registry and by each Kubernetes resource.
import type { KubeObject } from "../../meta/object.ts";

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
