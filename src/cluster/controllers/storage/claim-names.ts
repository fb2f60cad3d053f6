// Which claims a pod uses.
import type { PersistentVolumeClaim, Pod } from "../../../kinds/builtin/core.ts";
import { controllerOf } from "../../../meta/controller-reference.ts";

/** A claim that a pod uses. */
export interface UsedClaim {
  readonly name: string;
  /** Made for the pod, and gone with it. */
  readonly isEphemeral: boolean;
}

/** The claims of a pod, in the order of its volumes. */
export function claimsOf({ metadata, spec: { volumes = [] } }: Pod): readonly UsedClaim[] {
  return volumes.flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined)
      return { name: persistentVolumeClaim.claimName, isEphemeral: false };
    return ephemeral === undefined ? [] : { name: `${metadata.name}-${name}`, isEphemeral: true };
  });
}

/** Whether a claim was made for a pod. */
export function isMadeFor(claim: PersistentVolumeClaim, pod: Pod): boolean {
  return controllerOf(claim)?.uid === pod.metadata.uid;
}
