// FlowSchemas and PriorityLevelConfigurations: their defaults. They are served, and no request is held back by them.
import { ensureFields, isFields, setDefault } from "../../api-object.ts";
import type { TypeBehaviour } from "../../served-type.ts";
import { specDiffers } from "./generation.ts";

/** `FlowSchema`. */
export const flowSchemaBehaviour: TypeBehaviour = {
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    ensureFields(spec, "priorityLevelConfiguration");
    if ((spec["matchingPrecedence"] ?? 0) === 0) spec["matchingPrecedence"] = 1_000;
    ensureFields(object, "status");
  },
  raisesGeneration: specDiffers,
};

/** `PriorityLevelConfiguration`. */
export const priorityLevelBehaviour: TypeBehaviour = {
  setDefaults(object) {
    const { exempt, limited } = ensureFields(object, "spec");
    if (isFields(exempt)) {
      setDefault(exempt, "nominalConcurrencyShares", 0);
      setDefault(exempt, "lendablePercent", 0);
    }
    if (isFields(limited)) {
      setDefault(limited, "nominalConcurrencyShares", 30);
      setDefault(limited, "lendablePercent", 0);
      const { queuing } = ensureFields(limited, "limitResponse");
      if (isFields(queuing)) {
        for (const [name, number] of Object.entries({ handSize: 8, queues: 64, queueLengthLimit: 50 })) {
          if ((queuing[name] ?? 0) === 0) queuing[name] = number;
        }
      }
    }
    ensureFields(object, "status");
  },
  raisesGeneration: specDiffers,
};
