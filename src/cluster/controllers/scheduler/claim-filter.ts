// Whether the claims of a pod let it be placed, as kube-scheduler's VolumeBinding finds. Pure.
import type { PersistentVolumeClaim, Pod } from "../../../kinds/builtin/core.ts";
import { claimNamesOf } from "../storage/claim-names.ts";

/** Milliseconds for which nothing is said of a new claim that is not bound: as a rule it is before they are over. */
const boundWithin = 1_000;

/** Why a pod is not placed. */
export interface ClaimRefusal {
  readonly message: string;
  /** Milliseconds before it is said; 0 at once. */
  readonly saidAfter: number;
}

/** The first reason of its claims for which a pod waits. */
export function claimRefusal(
  pod: Pod,
  claimOf: (name: string) => PersistentVolumeClaim | undefined,
  now: number,
): ClaimRefusal | undefined {
  for (const name of claimNamesOf(pod)) {
    const claim = claimOf(name);
    const quoted = `persistentvolumeclaim "${name}"`;
    if (claim === undefined) return { message: `${quoted} not found`, saidAfter: 0 };
    const { metadata, spec, status } = claim;
    if (status?.phase === "Lost") {
      const message = `${quoted} bound to non-existent persistentvolume "${spec.volumeName}"`;
      return { message, saidAfter: 0 };
    }
    if (metadata.deletionTimestamp !== undefined)
      return { message: `${quoted} is being deleted`, saidAfter: 0 };
    if (status?.phase !== "Bound") {
      const age = now - Date.parse(metadata.creationTimestamp);
      const message = "pod has unbound immediate PersistentVolumeClaims";
      return { message, saidAfter: Math.max(0, boundWithin - age) };
    }
  }
  return undefined;
}
