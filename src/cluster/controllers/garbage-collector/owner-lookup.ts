// Whether an owner that is not in the graph exists: asks the server, so that nothing is deleted on a stale picture.
import { isNotFound } from "../../../client/api-error.ts";
import type { KubeClient } from "../../../client/kube-client.ts";
import type { OwnerReference } from "../../../meta/object.ts";
import { parseApiVersion } from "../../../meta/resource-type.ts";
import type { ServedResource } from "../../../client/resource-discovery.ts";
import type { OwnerState } from "./collection-decision.ts";
import { foregroundFinalizer, isDeletingDependents, type OwnedNode, type OwnerGraph } from "./owner-graph.ts";

/** What {@link stateOfOwner} needs. */
export interface OwnerLookupOptions {
  readonly client: KubeClient;
  readonly graph: OwnerGraph;
  readonly find: (apiVersion: string, kind: string) => ServedResource | undefined;
}

/** The state of an owner; `unknown` when its kind is not served at this moment. */
export async function stateOfOwner(
  node: OwnedNode,
  owner: OwnerReference,
  { client, graph, find }: OwnerLookupOptions,
): Promise<OwnerState | "unknown"> {
  const known = graph.get(owner.uid);
  if (known !== undefined && isReferenced(node, owner, known)) {
    return isDeletingDependents(known) ? "waiting" : "solid";
  }
  const served = find(owner.apiVersion, owner.kind);
  if (served === undefined) return "unknown";
  // A cluster-scoped object cannot have an owner in a namespace: nobody can say which one is meant.
  if (served.type.namespaced && node.namespace === undefined) return "solid";
  const key = served.type.namespaced
    ? { namespace: node.namespace ?? "", name: owner.name }
    : { name: owner.name };
  try {
    const { metadata } = await client.get(served.type, key);
    if (metadata.uid !== owner.uid) return "absent";
    const waits =
      metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(foregroundFinalizer) === true;
    return waits ? "waiting" : "solid";
  } catch (error) {
    if (isNotFound(error)) return "absent";
    throw error;
  }
}

/** Whether the object with the owner's uid is the one that the reference describes. */
function isReferenced(node: OwnedNode, owner: OwnerReference, known: OwnedNode): boolean {
  const { group } = parseApiVersion(owner.apiVersion);
  const sameName = known.type.kind === owner.kind && known.type.group === group && known.name === owner.name;
  return sameName && (known.namespace === undefined || known.namespace === node.namespace);
}
