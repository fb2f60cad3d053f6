// Whether the claims of a pod let it be placed, as kube-scheduler's VolumeBinding finds. Pure.
import type { PersistentVolumeClaim, Pod } from "../../../kinds/builtin/core.ts";
import type { StorageClass } from "../../../kinds/builtin/storage.ts";
import { claimsOf, isMadeFor } from "../storage/claim-names.ts";
import { isDelayed } from "../storage/volume-choice.ts";

/** Milliseconds for which nothing is said of a new claim that is not bound: as a rule it is before they are over. */
const boundWithin = 1_000;

/** Why a pod is not placed. */
export interface ClaimRefusal {
  readonly message: string;
  /** Milliseconds before it is said; 0 at once. */
  readonly saidAfter: number;
}

/** What there is. */
export interface KnownStorage {
  claimOf(name: string): PersistentVolumeClaim | undefined;
  classOf(claim: PersistentVolumeClaim): StorageClass | undefined;
}

/** Claims of a pod that are bound only once it is known on which node they are used. */
export function delayedClaims(pod: Pod, known: KnownStorage): readonly PersistentVolumeClaim[] {
  return claimsOf(pod).flatMap(({ name }) => {
    const claim = known.claimOf(name);
    const waits = claim?.status?.phase !== "Bound" && claim !== undefined;
    return waits && isDelayed(claim, known.classOf(claim)) ? claim : [];
  });
}

/** The first reason of its claims for which a pod waits. */
export function claimRefusal(pod: Pod, known: KnownStorage, now: number): ClaimRefusal | undefined {
  for (const { name, isEphemeral } of claimsOf(pod)) {
    const claim = known.claimOf(name);
    const quoted = `persistentvolumeclaim "${name}"`;
    if (claim === undefined) {
      return isEphemeral
        ? {
            message: `waiting for ephemeral volume controller to create the ${quoted}`,
            saidAfter: boundWithin,
          }
        : { message: `${quoted} not found`, saidAfter: 0 };
    }
    if (isEphemeral && !isMadeFor(claim, pod)) {
      const key = `${pod.metadata.namespace}/${name}`;
      const podKey = `${pod.metadata.namespace}/${pod.metadata.name}`;
      const message = `PVC ${key} was not created for pod ${podKey} (pod is not owner)`;
      return { message, saidAfter: 0 };
    }
    const { metadata, spec, status } = claim;
    if (status?.phase === "Lost") {
      const message = `${quoted} bound to non-existent persistentvolume "${spec.volumeName}"`;
      return { message, saidAfter: 0 };
    }
    if (metadata.deletionTimestamp !== undefined)
      return { message: `${quoted} is being deleted`, saidAfter: 0 };
    if (status?.phase !== "Bound" && !isDelayed(claim, known.classOf(claim))) {
      const age = now - Date.parse(metadata.creationTimestamp);
      const message = "pod has unbound immediate PersistentVolumeClaims";
      return { message, saidAfter: Math.max(0, boundWithin - age) };
    }
  }
  return undefined;
}
