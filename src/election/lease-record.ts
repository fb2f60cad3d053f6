// What a Lease says about leadership, and what we write into it. Pure.
import type { Lease } from "../kinds/builtin/coordination.ts";
import { toMicroTime } from "../meta/micro-time.ts";
import type { Manifest } from "../meta/object.ts";

/** The spec of a Lease as it is sent. */
export type LeaseSpec = NonNullable<Lease["spec"]>;

/** A Lease as it is sent. */
export interface LeaseManifest extends Manifest {
  readonly spec: LeaseSpec;
}

/** The holder of the Lease; undefined when it has none. */
export function holderOf(lease: Lease | undefined): string | undefined {
  const holder = lease?.spec?.holderIdentity;
  return holder === undefined || holder === "" ? undefined : holder;
}

/** Milliseconds of a term, as the Lease says; undefined when it says nothing sensible. */
export function durationOf(lease: Lease | undefined): number | undefined {
  const seconds = lease?.spec?.leaseDurationSeconds;
  return seconds !== undefined && seconds > 0 ? seconds * 1000 : undefined;
}

/** Whether the Lease reads as its last holder leaves it when it lets go: without a name, and for one second. */
export function isReleased(lease: Lease | undefined): boolean {
  return lease !== undefined && holderOf(lease) === undefined && lease.spec?.leaseDurationSeconds === 1;
}

/** What identifies a state of the Lease: changes with every renewal, and not with labels or annotations. */
export function fingerprintOf(lease: Lease | undefined): string {
  if (lease === undefined) return "";
  const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions } = lease.spec ?? {};
  return JSON.stringify([
    lease.metadata.uid,
    holderIdentity,
    leaseDurationSeconds,
    acquireTime,
    renewTime,
    leaseTransitions,
  ]);
}

/** What a holder writes: its name, and the time. A change of holder counts as a transition, as in client-go. */
export function claimOf(
  lease: Lease | undefined,
  { identity, leaseDuration, now }: { identity: string; leaseDuration: number; now: number },
): LeaseSpec {
  const spec = lease?.spec ?? {};
  const time = toMicroTime(now);
  const ours = holderOf(lease) === identity;
  const transitions = spec.leaseTransitions ?? 0;
  return {
    ...spec,
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseDuration / 1000),
    acquireTime: ours ? (spec.acquireTime ?? time) : time,
    renewTime: time,
    leaseTransitions: ours || lease === undefined ? transitions : transitions + 1,
  };
}

/** What a holder leaves when it lets go. */
export function releaseOf(lease: Lease, now: number): LeaseSpec {
  const time = toMicroTime(now);
  return { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: time, renewTime: time };
}
