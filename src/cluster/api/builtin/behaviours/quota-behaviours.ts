// ResourceQuotas and LimitRanges: their defaults; who enforces them is src/cluster/api/admission.
import { ensureFields, fieldsList, fieldsOf, setDefault } from "../../api-object.ts";
import type { TypeBehaviour } from "../../served-type.ts";

/** `ResourceQuota`. */
export const quotaBehaviour: TypeBehaviour = {
  setDefaults(object) {
    ensureFields(object, "spec");
    ensureFields(object, "status");
  },
};

/** `LimitRange`. */
export const limitRangeBehaviour: TypeBehaviour = {
  createOnUpdate: true,
  prepare(object, previous, write) {
    // One without a name is given one.
    if (previous === undefined && object.metadata.name === "") object.metadata.name = write.newUid();
    const spec = ensureFields(object, "spec");
    if (fieldsList(spec["limits"]).length === 0) spec["limits"] = null;
  },
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    spec["limits"] ??= null;
    for (const limit of fieldsList(spec["limits"])) {
      if (limit["type"] !== "Container") continue;
      const limits = { ...fieldsOf(limit["default"]) };
      for (const [name, amount] of Object.entries(fieldsOf(limit["max"]))) setDefault(limits, name, amount);
      const requests = { ...fieldsOf(limit["defaultRequest"]) };
      for (const amounts of [limits, fieldsOf(limit["min"])]) {
        for (const [name, amount] of Object.entries(amounts)) setDefault(requests, name, amount);
      }
      if (Object.keys(limits).length > 0) limit["default"] = limits;
      if (Object.keys(requests).length > 0) limit["defaultRequest"] = requests;
    }
  },
};
