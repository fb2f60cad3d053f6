// Whom a child belongs to: the reference that makes the garbage collector delete it with its owner, and the refusals that
// keep us from writing what the server would refuse, the garbage collector would delete, or somebody else has made.
import { controllerOf } from "../../meta/controller-reference.ts";
import type { KubeObject, OwnerReference } from "../../meta/object.ts";
import type { ObjectKey } from "../../meta/object-key.ts";
import { parseApiVersion, type ResourceType } from "../../meta/resource-type.ts";
import { TerminalError } from "../../ports/operator-error.ts";
import { markOf } from "../comparison/intent-hash.ts";

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
  if (hasSameName(controller, ours)) return true;
  const { kind, name } = controller;
  throw new TerminalError(
    "OWNED_BY_ANOTHER",
    `${child.kind} "${child.metadata.name}" is controlled by ${kind} "${name}"; it was left alone`,
    { remedy: `Give the child of ${ours.kind} "${ours.name}" another name, or remove the other controller.` },
  );
}

/**
 * Whether an object says itself that it is ours; undefined when it does not say whose it is, or names another operator, who may
 * have written it beside us. `operators` are our name and our former ones.
 */
export function isMarkedOurs(
  object: KubeObject,
  cr: KubeObject,
  ours: OwnerReference | undefined,
  operators: readonly string[],
): boolean | undefined {
  const { ownerReferences = [] } = object.metadata;
  const controller = controllerOf(object);
  if (ownerReferences.some(({ uid }) => uid === cr.metadata.uid)) return true;
  if (ours !== undefined && controller !== undefined) return hasSameName(controller, ours);
  const mark = markOf(object);
  const isOurs = mark !== undefined && (mark.operator === undefined || operators.includes(mark.operator));
  return isOurs ? true : undefined;
}

/** Managers of fields that are named. */
const namedManagers = 3;

/** The refusal of an object that somebody else has made. */
export function notOurs(kindName: string, { metadata }: KubeObject): TerminalError {
  const { ownerReferences = [], managedFields = [] } = metadata;
  const owners = ownerReferences.map(({ kind, name }) => `${kind} "${name}"`);
  const managers = new Set(
    managedFields.flatMap(({ manager, subresource }) =>
      manager === undefined || subresource !== undefined ? [] : [`"${manager}"`],
    ),
  );
  const by = [...owners, ...managers].slice(0, namedManagers).join(", ");
  return new TerminalError(
    "RESOURCE_NOT_OURS",
    `${kindName} exists already and was not made by this operator${by === "" ? "" : ` but by ${by}`}; it was left alone`,
    { remedy: "Delete it, give the child another name, or set adopt: true on the resource to take it over." },
  );
}

function hasSameName(one: OwnerReference, other: OwnerReference): boolean {
  const groupOf = ({ apiVersion }: OwnerReference): string => parseApiVersion(apiVersion).group;
  return one.kind === other.kind && one.name === other.name && groupOf(one) === groupOf(other);
}
