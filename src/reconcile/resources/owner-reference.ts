// Whom a child belongs to: the reference that makes the garbage collector delete it with its owner, and the refusals that
// keep us from writing what the server would refuse or the garbage collector would delete.
import { controllerOf } from "../../meta/controller-reference.ts";
import type { KubeObject, OwnerReference } from "../../meta/object.ts";
import type { ObjectKey } from "../../meta/object-key.ts";
import { parseApiVersion, type ResourceType } from "../../meta/resource-type.ts";
import { TerminalError } from "../../ports/operator-error.ts";

/**
 * Refuses a child that cannot belong to the custom resource.
 * Errors: `OWNER_SCOPE` for a cluster-scoped child, or one in another namespace, of a namespaced owner.
 */
export function assertOwnable(
  owner: KubeObject,
  ownerType: ResourceType,
  child: ObjectKey,
  type: ResourceType,
): void {
  if (!ownerType.namespaced) return;
  const where = type.namespaced
    ? child.namespace === owner.metadata.namespace
      ? undefined
      : `in namespace "${child.namespace}"`
    : "cluster-scoped";
  if (where === undefined) return;
  throw new TerminalError(
    "OWNER_SCOPE",
    `${type.kind} "${child.name}" is ${where} and cannot be owned by ${ownerType.kind} "${owner.metadata.name}" in namespace "${owner.metadata.namespace}": the garbage collector would delete it`,
    {
      remedy:
        "Put it into the owner's namespace, or set ownerReference: false and delete it yourself in CRFinalizer.",
    },
  );
}

/**
 * Whether the child is an earlier custom resource's of the same name, which has left it behind.
 * Errors: `OWNED_BY_ANOTHER` (gives up) when another owner controls it.
 */
export function isPredecessors(child: KubeObject, ours: OwnerReference): boolean {
  const controller = controllerOf(child);
  if (controller === undefined || controller.uid === ours.uid) return false;
  const { kind, name, apiVersion } = controller;
  const { group } = parseApiVersion(ours.apiVersion);
  if (kind === ours.kind && name === ours.name && parseApiVersion(apiVersion).group === group) return true;
  throw new TerminalError(
    "OWNED_BY_ANOTHER",
    `${child.kind} "${child.metadata.name}" is controlled by ${kind} "${name}"; it was left alone`,
    { remedy: `Give the child of ${ours.kind} "${ours.name}" another name, or remove the other controller.` },
  );
}
