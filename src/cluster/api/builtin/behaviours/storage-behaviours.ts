// The objects of storage.k8s.io besides its StorageClasses: their defaults.
import { ensureFields, listOf, setDefault } from "../../api-object.ts";
import type { TypeBehaviour } from "../../served-type.ts";
import { specDiffers } from "./generation.ts";

/** `CSIDriver`. */
export const driverBehaviour: TypeBehaviour = {
  needsResourceVersion: true,
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    setDefault(spec, "attachRequired", true);
    setDefault(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
    for (const name of ["podInfoOnMount", "requiresRepublish", "seLinuxMount", "storageCapacity"]) {
      setDefault(spec, name, false);
    }
    if (listOf(spec["volumeLifecycleModes"]).length === 0) spec["volumeLifecycleModes"] = ["Persistent"];
  },
  prepare(object, previous) {
    // Only changes are counted.
    if (previous === undefined) delete object.metadata.generation;
  },
  raisesGeneration: specDiffers,
};

/** `CSINode`. */
export const storageNodeBehaviour: TypeBehaviour = {
  needsResourceVersion: true,
  setDefaults(object) {
    setDefault(ensureFields(object, "spec"), "drivers", null);
  },
};

/** `VolumeAttachment`. */
export const attachmentBehaviour: TypeBehaviour = {
  needsResourceVersion: true,
  setDefaults(object) {
    ensureFields(ensureFields(object, "spec"), "source");
    setDefault(ensureFields(object, "status"), "attached", false);
  },
};
