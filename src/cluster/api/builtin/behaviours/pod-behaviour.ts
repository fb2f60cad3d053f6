// Pods: defaults, phase and QoS class at birth, graceful deletion, and a spec that may hardly change.
import { equal } from "../../../../schema/json-value.ts";
import { forbiddenValue, invalidValue, type StatusCause } from "../../../../schema/status-cause.ts";
import {
  ensureFields,
  fieldsList,
  fieldsOf,
  setDefault,
  type ApiObject,
  type Fields,
} from "../../api-object.ts";
import { addLossTolerations } from "../../loss-tolerations.ts";
import type { TypeBehaviour } from "../../served-type.ts";
import { specDiffers } from "./generation.ts";
import { podNameWarnings } from "./name-warnings.ts";
import { podWarnings } from "./pod-warnings.ts";
import { setPodSpecDefaults, setRequestDefaults } from "./pod-defaults.ts";
import { withoutResources, writtenPodPart } from "./pod-parts.ts";

/** `Pod` of v1. */
export const podBehaviour: TypeBehaviour = {
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    setPodSpecDefaults(spec);
    setRequestDefaults(spec);
    setDefault(spec, "enableServiceLinks", true);
  },
  prepare(object, previous) {
    const spec = ensureFields(object, "spec");
    // What the admission plug-ins of the real server add to every pod, the tolerations also to a changed one.
    if (previous !== undefined) {
      addLossTolerations(spec);
      // Whoever does not repeat what its class gave to a pod does not mean another class.
      const { priority, preemptionPolicy } = fieldsOf(previous["spec"]);
      for (const [name, value] of Object.entries({ priority, preemptionPolicy })) {
        if (value !== undefined) setDefault(spec, name, value);
      }
      return;
    }
    setDefault(spec, "serviceAccountName", "default");
    setDefault(spec, "preemptionPolicy", "PreemptLowerPriority");
    setDefault(spec, "priority", 0);
    object["status"] = { phase: "Pending", qosClass: qosClassOf(spec) };
  },
  writtenPart: writtenPodPart,
  // Of a pod that is there nothing is said: seldom does a person change one.
  warnings: (object, previous) =>
    previous === undefined ? [...podNameWarnings(object, previous), ...podWarnings(object)] : [],
  validate: (object, previous, subresource) =>
    subresource === "resize" && previous !== undefined ? resizeFaults(object, previous) : [],
  raisesGeneration: specDiffers,
  gracePeriod(object, asked) {
    const { nodeName, terminationGracePeriodSeconds } = fieldsOf(object["spec"]);
    const { phase } = fieldsOf(object["status"]);
    if (nodeName === undefined || phase === "Succeeded" || phase === "Failed") return 0;
    if (asked !== undefined) return asked;
    return typeof terminationGracePeriodSeconds === "number" ? terminationGracePeriodSeconds : 30;
  },
};

function resizeFaults(object: ApiObject, old: ApiObject): StatusCause[] {
  const [spec, previous] = [fieldsOf(object["spec"]), fieldsOf(old["spec"])];
  // A node that can resize says so by what it tells of the containers that run.
  const running = fieldsList(fieldsOf(old["status"])["containerStatuses"]).find(
    ({ state }) => fieldsOf(state)["running"] !== undefined,
  );
  const isUnable = running !== undefined && running["resources"] === undefined;
  const unable = isUnable ? [forbiddenValue("spec", "Pod running on node without support for resize")] : [];
  if (!equal(withoutResources(spec), withoutResources(previous))) {
    return [...unable, forbiddenValue("spec", "only cpu and memory resources are mutable")];
  }
  const [now, before] = [qosClassOf(spec), qosClassOf(previous)];
  const message = "Pod QOS Class may not change as a result of resizing";
  return now === before ? unable : [invalidValue("spec", before, message), ...unable];
}

function qosClassOf(spec: Fields): string {
  const all = [...fieldsList(spec["containers"]), ...fieldsList(spec["initContainers"])].map((each) =>
    fieldsOf(each["resources"]),
  );
  const isEmpty = (value: unknown): boolean => Object.keys(fieldsOf(value)).length === 0;
  if (all.every(({ limits, requests }) => isEmpty(limits) && isEmpty(requests))) return "BestEffort";
  const isGuaranteed = all.every(({ limits, requests }) => {
    const { cpu, memory } = fieldsOf(limits);
    if (cpu === undefined || memory === undefined) return false;
    const asked = fieldsOf(requests);
    return (asked["cpu"] ?? cpu) === cpu && (asked["memory"] ?? memory) === memory;
  });
  return isGuaranteed ? "Guaranteed" : "Burstable";
}
