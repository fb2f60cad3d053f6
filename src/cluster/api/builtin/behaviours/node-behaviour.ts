// Nodes: a status with all that is always written, which a new one may bring along, as kubelets do.
import {
  ensureFields,
  fieldsList,
  fieldsOf,
  isFields,
  listOf,
  setDefault,
  textOf,
  type Fields,
} from "../../api-object.ts";
import type { TypeBehaviour } from "../../served-type.ts";
import { fillStruct } from "./fill-in.ts";

/** `Node` of v1. */
export const nodeBehaviour: TypeBehaviour = {
  keepsGivenStatus: true,
  setDefaults(object) {
    settleRanges(ensureFields(object, "spec"));
    const status = ensureFields(object, "status");
    // Everything that it has may be used, where nothing else is said.
    if (status["capacity"] !== undefined)
      setDefault(status, "allocatable", { ...fieldsOf(status["capacity"]) });
    fillStruct(status, "io.k8s.api.core.v1.NodeStatus");
  },
  prepare(object, previous) {
    // Kubelets are not configured through the API any more: who has said how, goes on to.
    const before = { spec: fieldsOf(previous?.["spec"]), status: fieldsOf(previous?.["status"]) };
    const [spec, status] = [ensureFields(object, "spec"), ensureFields(object, "status")];
    if (before.spec["configSource"] === undefined) delete spec["configSource"];
    if (before.status["config"] === undefined) delete status["config"];
    // Lists that are always written are null where they are empty.
    for (const image of fieldsList(status["images"]))
      if (listOf(image["names"]).length === 0) image["names"] = null;
  },
  warnings: ({ spec }) => [
    ...(isFields(fieldsOf(spec)["configSource"]) ? ["spec.configSource: the feature is removed"] : []),
    ...(textOf(fieldsOf(spec)["externalID"]) === ""
      ? []
      : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"]),
  ],
};

/** The former field has the first of the ranges, and is taken at its word. */
function settleRanges(spec: Fields): void {
  const range = textOf(spec["podCIDR"]);
  const [first] = listOf(spec["podCIDRs"]);
  if (range !== "" && range !== first) spec["podCIDRs"] = [range];
  else if (first !== undefined) spec["podCIDR"] = first;
}
