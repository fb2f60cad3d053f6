// The objects of storage.k8s.io besides its StorageClasses: their defaults.
import { equal } from "../../../../schema/json-value.ts";
import { ensureFields, fieldsList, fieldsOf, isFields, listOf, setDefault } from "../../api-object.ts";
import { noteSentEmpty } from "../../sent-empty.ts";
import type { TypeBehaviour } from "../../served-type.ts";
import { specDiffers } from "./generation.ts";
import { setSourceDefaults } from "./volume-defaults.ts";

const tokensInAttributes =
  "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";

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
    const spec = ensureFields(object, "spec");
    // It belongs to a feature of Kubernetes that is off by default.
    delete spec["preventPodSchedulingIfMissing"];
    // Only changes are counted.
    if (previous === undefined) delete object.metadata.generation;
  },
  warnings({ spec }, previous) {
    const { tokenRequests, serviceAccountTokenInSecrets } = fieldsOf(spec);
    const before = fieldsOf(previous?.["spec"])["tokenRequests"];
    const isAsked = listOf(tokenRequests).length > 0 && serviceAccountTokenInSecrets === undefined;
    return isAsked && !equal(tokenRequests, before) ? [tokensInAttributes] : [];
  },
  raisesGeneration: specDiffers,
};

/** `CSINode`. */
export const storageNodeBehaviour: TypeBehaviour = {
  needsResourceVersion: true,
  setDefaults(object) {
    setDefault(ensureFields(object, "spec"), "drivers", null);
  },
  prepare(object) {
    // Lists that are always written are null where they are empty.
    const spec = ensureFields(object, "spec");
    if (listOf(spec["drivers"]).length === 0) spec["drivers"] = null;
    for (const driver of fieldsList(spec["drivers"])) {
      if (listOf(driver["topologyKeys"]).length > 0) continue;
      if (Array.isArray(driver["topologyKeys"])) noteSentEmpty(driver, "topologyKeys");
      driver["topologyKeys"] = null;
    }
  },
};

/** `VolumeAttachment`. */
export const attachmentBehaviour: TypeBehaviour = {
  needsResourceVersion: true,
  setDefaults(object) {
    const { inlineVolumeSpec } = ensureFields(ensureFields(object, "spec"), "source");
    if (isFields(inlineVolumeSpec)) setSourceDefaults(inlineVolumeSpec);
    setDefault(ensureFields(object, "status"), "attached", false);
  },
};
