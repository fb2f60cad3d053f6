// Classes that other objects name (storage, priority, ingress), and API services: their defaults.
import { ensureFields, isFields, setDefault } from "../../api-object.ts";
import type { TypeBehaviour } from "../../served-type.ts";
import { specDiffers } from "./generation.ts";

/** `StorageClass`. */
export const storageClassBehaviour: TypeBehaviour = {
  setDefaults(object) {
    setDefault(object, "reclaimPolicy", "Delete");
    setDefault(object, "volumeBindingMode", "Immediate");
  },
};

/** `PriorityClass`. */
export const priorityClassBehaviour: TypeBehaviour = {
  setDefaults(object) {
    setDefault(object, "value", 0);
    setDefault(object, "preemptionPolicy", "PreemptLowerPriority");
  },
  raisesGeneration: () => false,
};

/** `IngressClass`. */
export const ingressClassBehaviour: TypeBehaviour = {
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    if (isFields(spec["parameters"])) setDefault(spec["parameters"], "scope", "Cluster");
  },
  raisesGeneration: specDiffers,
};

/** `APIService`. */
export const apiServiceBehaviour: TypeBehaviour = {
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    setDefault(spec, "groupPriorityMinimum", 0);
    setDefault(spec, "versionPriority", 0);
    if (isFields(spec["service"])) setDefault(spec["service"], "port", 443);
    ensureFields(object, "status");
  },
};
