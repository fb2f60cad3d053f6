// What a member's Lease says: who it is, since when, what it claims, which kinds it shares, and whether it is about to go.
// Written by the member itself, read by the others and by `explain`. Pure.
import type { LeaseManifest } from "../election/lease-record.ts";
import { claimOf, durationOf, isReleased, releaseOf } from "../election/lease-record.ts";
import { Lease } from "../kinds/builtin/coordination.ts";
import { apiVersionOf } from "../meta/resource-type.ts";
import { formatSlots, parseSlots } from "./slots.ts";

/** Label of every member's Lease: the name under which the members share. */
export const shardsLabel = "sharding.xstate-operator.dev/shards";
/** Annotation: the slots that the member claims. */
const slotsAnnotation = "sharding.xstate-operator.dev/slots";
/** Annotation: the resources that the member shares, separated by commas. */
const resourcesAnnotation = "sharding.xstate-operator.dev/resources";
/** Annotation: there while the member drains for good. */
const leavingAnnotation = "sharding.xstate-operator.dev/leaving";

/** What a member says about itself. */
export interface MemberRecord {
  /** Name of its Lease; unique for every process that ever runs. */
  readonly name: string;
  /** Who it is, for people. */
  readonly identity: string;
  /** undefined: it cannot be read, so it may be any slot. */
  readonly slots: ReadonlySet<number> | undefined;
  readonly resources: readonly string[];
  /** It takes no slot any more. */
  readonly leaving: boolean;
  /** It has given everything back. */
  readonly released: boolean;
  /** When its term ends by its own clock unless it is renewed, in milliseconds since the epoch. */
  readonly until: number;
}

/** Reads a member's Lease. */
export function memberOf(lease: Lease): MemberRecord {
  const { name, annotations = {} } = lease.metadata;
  const released = isReleased(lease);
  return {
    name,
    identity: lease.spec?.holderIdentity ?? "",
    slots: released ? new Set() : parseSlots(annotations[slotsAnnotation] ?? ""),
    resources: (annotations[resourcesAnnotation] ?? "").split(",").filter((each) => each !== ""),
    leaving: annotations[leavingAnnotation] !== undefined,
    released,
    until: (Date.parse(lease.spec?.renewTime ?? "") || 0) + (durationOf(lease) ?? 0),
  };
}

/** What a member writes. */
export interface MemberClaim {
  readonly namespace: string;
  /** Name of the Lease. */
  readonly name: string;
  /** What is shared: the value of the label. */
  readonly shards: string;
  readonly identity: string;
  /** Milliseconds. */
  readonly leaseDuration: number;
  readonly resources: readonly string[];
  readonly slots: Iterable<number>;
  readonly leaving: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The Lease that announces or renews a member, over the one that was read; foreign labels and annotations stay. */
export function leaseOf(lease: Lease | undefined, claim: MemberClaim): LeaseManifest {
  const { [leavingAnnotation]: _, ...others } = lease?.metadata.annotations ?? {};
  return {
    apiVersion: apiVersionOf(Lease),
    kind: Lease.kind,
    metadata: {
      ...(lease?.metadata ?? { namespace: claim.namespace, name: claim.name }),
      labels: { ...lease?.metadata.labels, [shardsLabel]: claim.shards },
      annotations: {
        ...others,
        [resourcesAnnotation]: claim.resources.join(","),
        [slotsAnnotation]: formatSlots(claim.slots),
        ...(claim.leaving ? { [leavingAnnotation]: "true" } : {}),
      },
    },
    spec: claimOf(lease, claim),
  };
}

/** The Lease of a member that has given everything back. */
export function releasedLeaseOf(lease: Lease, now: number): LeaseManifest {
  return {
    apiVersion: apiVersionOf(Lease),
    kind: Lease.kind,
    metadata: {
      ...lease.metadata,
      annotations: { ...lease.metadata.annotations, [slotsAnnotation]: "", [leavingAnnotation]: "true" },
    },
    spec: releaseOf(lease, now),
  };
}
