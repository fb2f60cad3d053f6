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
import type { TypeBehaviour } from "../../served-type.ts";
import { specDiffers } from "./generation.ts";
import { setPodSpecDefaults, setRequestDefaults } from "./pod-defaults.ts";
import { ephemeralFaults, withoutResources, writtenPodPart } from "./pod-parts.ts";
import { validatePodSpec } from "../validation/pod-validation.ts";

const tolerations = ["not-ready", "unreachable"].map((name) => ({
  key: `node.kubernetes.io/${name}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 300,
}));

/** `Pod` of v1. */
export const podBehaviour: TypeBehaviour = {
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    setPodSpecDefaults(spec);
    setRequestDefaults(spec);
    setDefault(spec, "enableServiceLinks", true);
  },
  prepare(object, previous) {
    if (previous !== undefined) return;
    const spec = ensureFields(object, "spec");
    // What the admission plug-ins of the real server add to every pod.
    setDefault(spec, "serviceAccountName", "default");
    setDefault(spec, "preemptionPolicy", "PreemptLowerPriority");
    setDefault(spec, "priority", 0);
    const given = fieldsList(spec["tolerations"]);
    const added = tolerations.filter(({ key }) => !given.some((each) => each["key"] === key));
    spec["tolerations"] = [...given, ...added];
    object["status"] = { phase: "Pending", qosClass: qosClassOf(spec) };
  },
  writtenPart: writtenPodPart,
  validate(object, previous, subresource) {
    const errors = validatePodSpec(fieldsOf(object["spec"]), "spec", ["Always", "OnFailure", "Never"]);
    const { containers, ephemeralContainers } = fieldsOf(object["spec"]);
    if (previous === undefined) {
      if (fieldsList(ephemeralContainers).length > 0) {
        errors.push(forbiddenValue("spec.ephemeralContainers", "cannot be set on create"));
      }
      return errors;
    }
    const [spec, before] = [fieldsOf(object["spec"]), fieldsOf(previous["spec"])];
    if (subresource === "ephemeralcontainers") return [...errors, ...ephemeralFaults(spec, before)];
    if (subresource === "resize") return [...errors, ...resizeFaults(object, previous)];
    if (fieldsList(containers).length !== fieldsList(fieldsOf(previous["spec"])["containers"]).length) {
      return [...errors, forbiddenValue("spec.containers", "pod updates may not add or remove containers")];
    }
    if (!equal(fixedPart(object["spec"]), fixedPart(previous["spec"]))) {
      errors.push(
        forbiddenValue(
          "spec",
          "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
        ),
      );
    }
    return errors;
  },
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

/** The spec without what an update may change; a pod may be bound to a node once. */
function fixedPart(value: unknown): unknown {
  const {
    activeDeadlineSeconds: _deadline,
    terminationGracePeriodSeconds: _grace,
    tolerations: _tolerations,
    schedulingGates: _gates,
    nodeName: _node,
    ...spec
  } = fieldsOf(value);
  const withoutImages = (list: unknown): Fields[] =>
    fieldsList(list).map(({ image: _image, ...rest }) => rest);
  return {
    ...spec,
    containers: withoutImages(spec["containers"]),
    initContainers: withoutImages(spec["initContainers"]),
  };
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
