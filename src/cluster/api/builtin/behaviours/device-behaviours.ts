// Claims of devices, their templates, and what there is of devices: their defaults.
import {
  ensureFields,
  fieldsList,
  fieldsOf,
  isFields,
  setDefault,
  type ApiObject,
  type Fields,
} from "../../api-object.ts";
import { noteSentEmpty } from "../../sent-empty.ts";
import type { TypeBehaviour } from "../../served-type.ts";
import { specDiffers } from "./generation.ts";

function setRequestDefaults(asked: Fields): void {
  setDefault(asked, "allocationMode", "ExactCount");
  if (asked["allocationMode"] === "ExactCount" && (asked["count"] ?? 0) === 0) asked["count"] = 1;
  for (const toleration of fieldsList(asked["tolerations"])) setDefault(toleration, "operator", "Equal");
}

function setClaimDefaults(spec: Fields): void {
  const devices = ensureFields(spec, "devices");
  const requests = fieldsList(devices["requests"]);
  // A list that is always written is null where it is empty.
  if (requests.length === 0) {
    if (Array.isArray(devices["requests"])) noteSentEmpty(devices, "requests");
    devices["requests"] = null;
  }
  for (const request of requests) {
    if (isFields(request["exactly"])) setRequestDefaults(request["exactly"]);
    for (const other of fieldsList(request["firstAvailable"])) setRequestDefaults(other);
  }
}

/** `ResourceClaim`. */
export const deviceClaimBehaviour: TypeBehaviour = {
  setDefaults(object) {
    setClaimDefaults(ensureFields(object, "spec"));
    const { allocation } = ensureFields(object, "status");
    if (isFields(allocation)) ensureFields(allocation, "devices");
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

/** What belongs to features of Kubernetes that are off by default. */
function dropDisabled(device: Fields): void {
  delete device["nodeAllocatableResourceMappings"];
  for (const attribute of Object.values(fieldsOf(device["attributes"]))) {
    for (const list of ["bools", "ints", "strings", "versions"]) delete fieldsOf(attribute)[list];
  }
}

/** `ResourceSlice`. */
export const deviceSliceBehaviour: TypeBehaviour = {
  setDefaults: (object: ApiObject) => void ensureFields(ensureFields(object, "spec"), "pool"),
  prepare(object, _previous, { now }) {
    for (const device of fieldsList(fieldsOf(object["spec"])["devices"])) {
      dropDisabled(device);
      for (const taint of fieldsList(device["taints"])) setDefault(taint, "timeAdded", now);
    }
  },
  countsBeforeSettling: true,
  raisesGeneration: specDiffers,
};
