// Pods: defaults, phase and QoS class at birth, graceful deletion, and a spec that may hardly change.
import {
  ensureFields,
  fieldsList,
  fieldsOf,
  isFields,
  setDefault,
  textOf,
  type ApiObject,
  type Fields,
} from "../../api-object.ts";
import { addLossTolerations } from "../../loss-tolerations.ts";
import type { TypeBehaviour } from "../../served-type.ts";
import { qualityOf } from "../quality-of-service.ts";
import { takeAnnotatedProfiles } from "./app-armor.ts";
import { specDiffers } from "./generation.ts";
import { podNameWarnings } from "./name-warnings.ts";
import { podWarnings } from "./pod-warnings.ts";
import { setHostPortDefaults, setPodSpecDefaults, setRequestDefaults } from "./pod-defaults.ts";
import { writtenPodPart } from "./pod-parts.ts";

/** `Pod` of v1. */
export const podBehaviour: TypeBehaviour = {
  setDefaults(object) {
    if (isFields(object["status"])) settleStatus(object["status"]);
    const spec = ensureFields(object, "spec");
    setPodSpecDefaults(spec);
    setRequestDefaults(spec);
    setHostPortDefaults(spec);
    setDefault(spec, "enableServiceLinks", true);
  },
  prepare(object, previous, { subresource, now }) {
    const spec = ensureFields(object, "spec");
    if (Number(spec["terminationGracePeriodSeconds"]) < 0) spec["terminationGracePeriodSeconds"] = 1;
    // What the admission plug-ins of the real server add to every pod, the tolerations also to a changed one.
    if (previous !== undefined) {
      addLossTolerations(spec);
      // Whoever does not repeat what its class gave to a pod does not mean another class.
      const { priority, preemptionPolicy } = fieldsOf(previous["spec"]);
      for (const [name, value] of Object.entries({ priority, preemptionPolicy })) {
        if (value !== undefined) setDefault(spec, name, value);
      }
      if (subresource === "status") keepWhatIsUnsaid(object, previous);
      return;
    }
    takeAnnotatedProfiles(object);
    setDefault(spec, "serviceAccountName", "default");
    setDefault(spec, "preemptionPolicy", "PreemptLowerPriority");
    setDefault(spec, "priority", 0);
    const gated =
      fieldsList(spec["schedulingGates"]).length === 0 ? {} : { conditions: [gatedCondition(now)] };
    object["status"] = { phase: "Pending", ...gated, qosClass: qualityOf(spec) };
  },
  writtenPart: writtenPodPart,
  // Of a pod that is there nothing is said: seldom does a person change one.
  warnings: (object, previous) =>
    previous === undefined ? [...podNameWarnings(object, previous), ...podWarnings(object)] : [],
  raisesGeneration: specDiffers,
  gracePeriod(object, asked) {
    const { nodeName, terminationGracePeriodSeconds } = fieldsOf(object["spec"]);
    const { phase } = fieldsOf(object["status"]);
    if (nodeName === undefined || phase === "Succeeded" || phase === "Failed") return 0;
    if (asked !== undefined) return asked;
    return typeof terminationGracePeriodSeconds === "number" ? terminationGracePeriodSeconds : 30;
  },
};

function gatedCondition(now: string): Fields {
  return {
    type: "PodScheduled",
    status: "False",
    lastProbeTime: null,
    lastTransitionTime: now,
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
}

/** One address stands in two fields, of which the former one is taken at its word; what containers do and did is always said. */
function settleStatus(status: Fields): void {
  const address = textOf(status["podIP"]);
  const first = fieldsList(status["podIPs"])[0]?.["ip"];
  if (address !== "" && address !== first) status["podIPs"] = [{ ip: address }];
  else if (first !== undefined) status["podIP"] = first;
  for (const list of ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"]) {
    for (const container of fieldsList(status[list])) {
      for (const name of ["state", "lastState"]) ensureFields(container, name);
    }
  }
}

/** What a status that is sent does not say of its class, and of what it has seen, stays as it was. */
function keepWhatIsUnsaid(object: ApiObject, previous: ApiObject): void {
  const before = fieldsOf(previous["status"]);
  const status: Fields = { ...fieldsOf(object["status"]) };
  for (const name of ["qosClass", "observedGeneration"]) {
    if (before[name] !== undefined) setDefault(status, name, before[name]);
  }
  const known = [...fieldsList(before["conditions"])];
  if (status["conditions"] !== undefined) {
    status["conditions"] = fieldsList(status["conditions"]).map((condition) => {
      const place = known.findIndex(({ type }) => type === condition["type"]);
      const [{ observedGeneration } = {}] = place < 0 ? [] : known.splice(place, 1);
      const isSaid = observedGeneration === undefined || condition["observedGeneration"] !== undefined;
      return isSaid ? condition : { ...condition, observedGeneration };
    });
  }
  object["status"] = status;
}
