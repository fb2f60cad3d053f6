// What the garbage collector does with one object, given what has become of its owners and dependents. Pure.
import type { OwnerReference } from "../../../meta/object.ts";
import { foregroundFinalizer, isDeletingDependents, orphanFinalizer, type OwnedNode } from "./owner-graph.ts";

/**
 * What has become of an owner: `solid` exists, `absent` does not (or another object has its name), `waiting` is being
 * deleted in the foreground and waits for its dependents.
 */
export type OwnerState = "solid" | "absent" | "waiting";

/** What is to be done. */
export type Decision =
  | { readonly action: "nothing" }
  /** Let the dependents go, then remove the orphan finalizer. */
  | { readonly action: "orphan" }
  /** The last dependent that blocks is gone: remove the foreground finalizer. */
  | { readonly action: "finish" }
  /** Dependents still block: look at each of them. */
  | { readonly action: "wait" }
  /** Replace the owner references by these. */
  | { readonly action: "setOwners"; readonly owners: readonly OwnerReference[] }
  | {
      readonly action: "delete";
      readonly policy: "Background" | "Foreground" | "Orphan";
      /** Owner references without blocking, to be written first: else owner and dependent would wait for each other. */
      readonly unblocked?: readonly OwnerReference[];
    };

/** What to do with an object that is being deleted; undefined when it is not and its owners decide. */
export function decideForDeleting(node: OwnedNode, dependents: readonly OwnedNode[]): Decision | undefined {
  if (!node.deleting) return undefined;
  if (node.finalizers.includes(orphanFinalizer)) return { action: "orphan" };
  if (!isDeletingDependents(node)) return { action: "nothing" };
  const blocking = dependents.some((dependent) =>
    dependent.owners.some((owner) => owner.uid === node.uid && owner.blockOwnerDeletion === true),
  );
  return { action: blocking ? "wait" : "finish" };
}

/** What to do with an object that lives, given the state of each owner in its order. */
export function decideForOwned(
  node: OwnedNode,
  states: readonly OwnerState[],
  dependents: readonly OwnedNode[],
): Decision {
  if (node.owners.length === 0) return { action: "nothing" };
  const solid = node.owners.filter((_, index) => states[index] === "solid");
  if (solid.length === node.owners.length) return { action: "nothing" };
  if (solid.length > 0) return { action: "setOwners", owners: solid };
  if (states.includes("waiting") && dependents.length > 0) {
    // Two objects that own each other, or a dependent that itself waits: nobody may wait for this one.
    const circular = dependents.some(isDeletingDependents);
    const unblocked = node.owners.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
    return { action: "delete", policy: "Foreground", ...(circular ? { unblocked } : {}) };
  }
  const policy = node.finalizers.includes(orphanFinalizer)
    ? "Orphan"
    : node.finalizers.includes(foregroundFinalizer)
      ? "Foreground"
      : "Background";
  return { action: "delete", policy };
}
