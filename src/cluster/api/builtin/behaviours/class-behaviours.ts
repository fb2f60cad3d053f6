// Classes that other objects name (storage, priority, ingress), and API services: their defaults.
import { ensureFields, fieldsOf, isFields, setDefault } from "../../api-object.ts";
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

/** What is said of an APIService that this server answers for, besides since when. */
export const locallyAvailable = {
  type: "Available",
  status: "True",
  reason: "Local",
  message: "Local APIServices are always available",
} as const;

/** `APIService`. */
export const apiServiceBehaviour: TypeBehaviour = {
  needsResourceVersion: true,
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    setDefault(spec, "groupPriorityMinimum", 0);
    setDefault(spec, "versionPriority", 0);
    if (isFields(spec["service"])) setDefault(spec["service"], "port", 443);
    ensureFields(object, "status");
  },
  prepare(object, previous, { now }) {
    if (previous !== undefined || isFields(fieldsOf(object["spec"])["service"])) return;
    object["status"] = { conditions: [{ ...locallyAvailable, lastTransitionTime: now }] };
  },
};
