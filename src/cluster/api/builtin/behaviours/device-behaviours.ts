// Claims of devices, their templates, and what there is of devices: their defaults.
import {
  ensureFields,
  fieldsList,
  isFields,
  setDefault,
  type ApiObject,
  type Fields,
} from "../../api-object.ts";
import type { TypeBehaviour } from "../../served-type.ts";
import { specDiffers } from "./generation.ts";

function setRequestDefaults(asked: Fields): void {
  setDefault(asked, "allocationMode", "ExactCount");
  if (asked["allocationMode"] === "ExactCount" && (asked["count"] ?? 0) === 0) asked["count"] = 1;
}

function setClaimDefaults(spec: Fields): void {
  const requests = fieldsList(ensureFields(spec, "devices")["requests"]);
  for (const request of requests) {
    if (isFields(request["exactly"])) setRequestDefaults(request["exactly"]);
    for (const other of fieldsList(request["firstAvailable"])) setRequestDefaults(other);
  }
}

/** `ResourceClaim`. */
export const deviceClaimBehaviour: TypeBehaviour = {
  setDefaults(object) {
    setClaimDefaults(ensureFields(object, "spec"));
    ensureFields(object, "status");
  },
};

/** `ResourceClaimTemplate`. */
export const deviceClaimTemplateBehaviour: TypeBehaviour = {
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    setClaimDefaults(ensureFields(spec, "spec"));
    ensureFields(spec, "metadata");
  },
};

/** `DeviceClass`. */
export const deviceClassBehaviour: TypeBehaviour = {
  setDefaults: (object: ApiObject) => void ensureFields(object, "spec"),
  raisesGeneration: specDiffers,
};

/** `ResourceSlice`. */
export const deviceSliceBehaviour: TypeBehaviour = {
  setDefaults: (object: ApiObject) => void ensureFields(ensureFields(object, "spec"), "pool"),
  raisesGeneration: specDiffers,
};
