// Which replica has an object whose operator shares its objects among replicas: from the Leases in which they say so.
import { isForbidden } from "../../client/api-error.ts";
import type { KubeClient } from "../../client/kube-client.ts";
import type { ExplainedReplica } from "../../explain/explanation.ts";
import { Lease } from "../../kinds/builtin/coordination.ts";
import { formatKey, type ObjectKey } from "../../meta/object-key.ts";
import { resourceNameOf, type ResourceType } from "../../meta/resource-type.ts";
import { messageOf } from "../../ports/operator-error.ts";
import { memberOf, shardsLabel } from "../../sharding/member-lease.ts";
import { slotOf } from "../../sharding/slots.ts";

/** What was found, and what could not be read. */
export interface ReplicaReading {
  /** Absent when nothing shares objects of this type. */
  readonly replica?: ExplainedReplica;
  readonly unknown: readonly string[];
}

/**
 * Reads who has the object. Never fails for what may not be read.
 *
 * **RBAC**: `list` on `leases.coordination.k8s.io` in all namespaces; without it nothing is said.
 */
export async function readReplica(
  client: KubeClient,
  type: ResourceType,
  key: ObjectKey,
  now: number,
  signal: AbortSignal,
): Promise<ReplicaReading> {
  try {
    const { items } = await client.list(Lease, { labelSelector: shardsLabel, signal });
    const replica = replicaIn(items, type, key, now);
    return { ...(replica && { replica }), unknown: [] };
  } catch (error: unknown) {
    signal.throwIfAborted();
    // Most operators share nothing, so a user who may not list Leases gets no warning each time.
    if (isForbidden(error)) return { unknown: [] };
    return { unknown: [`Which replica of the operator has it: ${messageOf(error)}`] };
  }
}

/** Who has the object by these Leases. A Lease that ran out by this machine's clock counts as left behind. */
export function replicaIn(
  leases: readonly Lease[],
  type: ResourceType,
  key: ObjectKey,
  now: number,
): ExplainedReplica | undefined {
  const resource = resourceNameOf(type);
  const slot = slotOf(resource, formatKey(key));
  const sharing = leases
    .map((lease) => ({ lease, member: memberOf(lease) }))
    .filter(({ member }) => member.resources.includes(resource));
  if (sharing.length === 0) return undefined;
  const alive = sharing.filter(({ member }) => !member.released && member.until > now);
  return {
    slot,
    replicas: alive.length,
    claims: alive
      .filter(({ member }) => member.slots?.has(slot) === true)
      .map(({ lease, member }) => ({ identity: member.identity, lease: formatKey(lease.metadata) })),
  };
}
