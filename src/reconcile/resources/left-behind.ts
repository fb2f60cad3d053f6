// Children that an earlier custom resource of the same name has left behind. They are garbage that Kubernetes collects, mostly
// within a second; but when the one resource goes and the next one comes while the garbage collector cannot watch, it takes
// them for one and the same, and the children stay for ever (seen with Kubernetes 1.36). Then they are collected here.
import { isForbidden } from "../../client/api-error.ts";
import type { KubeObject, OwnerReference } from "../../meta/object.ts";
import { keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { monotonicNow } from "../../ports/clock.ts";
import { RequeueError } from "../../ports/operator-error.ts";
import { deleteObject } from "./object-writer.ts";
import { kindNameOf } from "./resource.ts";
import type { ResourceScope } from "./resource-scope.ts";

/** Milliseconds that the garbage collector is left to itself. */
export const collectionPatience = 15_000;

/** Milliseconds until such a child is checked again, should its end be missed. */
const lookAgain = 5_000;

/**
 * Waits for the garbage collector, and when it does not come, deletes the child: after the API server has said that its owner
 * is gone, and only as it was seen.
 *
 * **Errors**: always throws `OWNED_BY_PREDECESSOR`, as there is nothing else to be done for the child in this run; what the
 * client rejects with. **RBAC**: after the wait, `get` on the custom resource and `delete` on the child's type.
 */
export async function collectLeftBehind(
  scope: ResourceScope,
  type: ResourceType,
  child: KubeObject,
  ours: OwnerReference,
): Promise<never> {
  const { uid } = child.metadata;
  const { memory, clock, events, cr, crType, client, signal } = scope;
  const name = kindNameOf(type, keyOf(child));
  const what = `${name} still belongs to an earlier ${ours.kind} "${ours.name}"`;
  const waited = memory.leftBehind.seenFor(uid, monotonicNow(clock));
  const going = child.metadata.deletionTimestamp !== undefined;
  if (going || waited < collectionPatience) {
    const after = going ? lookAgain : Math.min(lookAgain, collectionPatience - waited);
    throw waiting(`${what} and is about to be garbage collected`, after);
  }
  // What we know of the resource may be old: then the child may belong to the one that came after.
  const present = await client.get(crType, keyOf(cr), { signal });
  if (present.metadata.uid !== cr.metadata.uid) {
    throw waiting(`${what}, and there is a newer one: its changes have not arrived yet`, lookAgain);
  }
  try {
    await deleteObject(scope, type, child, "as seen");
  } catch (error) {
    if (!isForbidden(error)) throw error;
    throw waiting(
      `${what}; it was not garbage collected, and this operator may not delete it`,
      lookAgain,
      `Delete it, or grant "delete" on ${type.plural} to the operator: see the log of kube-controller-manager.`,
    );
  }
  memory.leftBehind.forget(uid);
  events.record(
    "Normal",
    "Deleted",
    `Deleted ${name}: an earlier ${ours.kind} "${ours.name}" left it behind`,
  );
  throw waiting(`${what}: it was deleted, and is created again`, 1_000);
}

function waiting(message: string, after: number, remedy?: string): RequeueError {
  return new RequeueError("OWNED_BY_PREDECESSOR", message, after, remedy === undefined ? {} : { remedy });
}
