// Persistent volume claims and persistent volumes: defaults and phases at birth.
import { ensureFields, isFields, setDefault, type Fields } from "../../api-object.ts";
import type { TypeBehaviour } from "../../served-type.ts";

/** Adds the defaults of a claim, also of one in a template, in place. */
export function setClaimDefaults(claim: Fields): void {
  setDefault(ensureFields(claim, "spec"), "volumeMode", "Filesystem");
  setDefault(ensureFields(claim, "status"), "phase", "Pending");
}

/** `PersistentVolumeClaim` of v1. */
export const claimBehaviour: TypeBehaviour = {
  setDefaults: setClaimDefaults,
  isCompletedByReading: () => true,
};

/** `PersistentVolume` of v1. */
export const volumeBehaviour: TypeBehaviour = {
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    setDefault(spec, "volumeMode", "Filesystem");
    setDefault(spec, "persistentVolumeReclaimPolicy", "Retain");
    if (isFields(spec["hostPath"])) setDefault(spec["hostPath"], "type", "");
    setDefault(ensureFields(object, "status"), "phase", "Pending");
  },
};
