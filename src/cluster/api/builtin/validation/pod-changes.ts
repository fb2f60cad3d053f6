// What of a pod may change once it is there: images, a shorter deadline, more tolerations, fewer gates.
import { equal } from "../../../../schema/json-value.ts";
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { fieldsList, fieldsOf, isFields, textOf, type Fields } from "../../api-object.ts";
import { resizeChanges } from "./pod-resize-rules.ts";
import { isEmpty, type ChangeRule } from "./rule.ts";

/** What is wrong with changed containers; undefined where there are others than before, so that nothing more is looked at. */
function containerFaults(list: string, spec: Fields, before: Fields): readonly StatusCause[] | undefined {
  const containers = fieldsList(spec[list]);
  if (containers.length !== fieldsList(before[list]).length) return undefined;
  return containers.flatMap(({ image }, index): readonly StatusCause[] => {
    const field = `spec.${list}[${index}].image`;
    if (isEmpty(image)) return [requiredValue(field)];
    return textOf(image).trim() === textOf(image)
      ? []
      : [invalidValue(field, image, "must not have leading or trailing whitespace")];
  });
}

/** A deadline may be set, and come nearer; undefined in `ends` where nothing more is looked at. */
function deadlineFaults(now: unknown, before: unknown): { causes: readonly StatusCause[]; ends: boolean } {
  const field = "spec.activeDeadlineSeconds";
  if (now === undefined) {
    const detail = "must not update from a positive integer to nil value";
    return { causes: before === undefined ? [] : [invalidValue(field, null, detail)], ends: false };
  }
  if (Number(now) < 0 || Number(now) > 2_147_483_647) {
    return { causes: [invalidValue(field, now, "must be between 0 and 2147483647, inclusive")], ends: true };
  }
  if (before === undefined || Number(before) >= Number(now)) return { causes: [], ends: false };
  return { causes: [invalidValue(field, now, "must be less than or equal to previous value")], ends: true };
}

/** What is tolerated is tolerated for good, though for another time. */
function tolerationFaults(now: unknown, before: unknown): readonly StatusCause[] {
  const timeless = (toleration: Fields): Fields => {
    const { tolerationSeconds: _, ...rest } = toleration;
    return rest;
  };
  const kept = fieldsList(now).map(timeless);
  const isKept = fieldsList(before).every((old) => kept.some((each) => equal(each, timeless(old))));
  const detail = "existing toleration can not be modified except its tolerationSeconds";
  return isKept ? [] : [forbiddenValue("spec.tolerations", detail)];
}

function gateFaults(now: unknown, before: unknown): readonly StatusCause[] {
  const known = new Set(fieldsList(before).map(({ name }) => name));
  return fieldsList(now).flatMap(({ name }, index): readonly StatusCause[] => {
    const detail = `only deletion is allowed, but found new scheduling gate '${textOf(name)}'`;
    return known.has(name) ? [] : [forbiddenValue(`spec.schedulingGates[${index}].name`, detail)];
  });
}

/** The choice of nodes of a pod that waits for its gates may only become narrower. */
function selectorFaults(spec: Fields, before: Fields): readonly StatusCause[] {
  const [now, then] = [fieldsOf(spec["nodeSelector"]), fieldsOf(before["nodeSelector"])];
  if (Object.entries(then).every(([key, value]) => now[key] === value)) return [];
  const detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
  return [invalidValue("spec.nodeSelector", spec["nodeSelector"] ?? null, detail)];
}

/** The spec without what an update may change. */
function fixedPart(spec: Fields, isGated: boolean): Fields {
  const {
    activeDeadlineSeconds: _deadline,
    tolerations: _tolerations,
    schedulingGates: _gates,
    ...rest
  } = spec;
  const withoutImages = (list: unknown): Fields[] =>
    fieldsList(list).map(({ image: _image, ...others }) => others);
  const fixed: Fields = {
    ...rest,
    containers: withoutImages(spec["containers"]),
    initContainers: withoutImages(spec["initContainers"]),
  };
  if (!isGated) return fixed;
  const { nodeSelector: _nodes, affinity, ...whole } = fixed;
  const { nodeAffinity: _affinity, ...near } = fieldsOf(affinity);
  return isFields(affinity) && Object.keys(near).length > 0 ? { ...whole, affinity: near } : whole;
}

/** Who looks at a pod stays there as they are. */
function ephemeralFaults(spec: Fields, before: Fields): readonly StatusCause[] {
  const containers = fieldsList(spec["ephemeralContainers"]);
  return fieldsList(before["ephemeralContainers"]).flatMap((old) => {
    const kept = containers.find(({ name }) => name === old["name"]);
    const change = kept === undefined ? "removed" : equal(kept, old) ? undefined : "changed";
    if (change === undefined) return [];
    const detail = `existing ephemeral containers ${JSON.stringify(old["name"])} may not be ${change}\n`;
    return [forbiddenValue("spec.ephemeralContainers", detail)];
  });
}

const immutable =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** What may not change in the spec of a pod. */
export const podChanges: ChangeRule = (object, previous, subresource) => {
  const [spec, before] = [fieldsOf(object["spec"]), fieldsOf(previous["spec"])];
  if (subresource === "ephemeralcontainers") return ephemeralFaults(spec, before);
  if (subresource === "resize") return resizeChanges(object, previous);
  // What the others write is looked at by themselves.
  if (subresource !== undefined) return [];
  const causes: StatusCause[] = [];
  for (const list of ["containers", "initContainers"]) {
    const faults = containerFaults(list, spec, before);
    if (faults === undefined) {
      return [...causes, forbiddenValue(`spec.${list}`, "pod updates may not add or remove containers")];
    }
    causes.push(...faults);
  }
  const deadline = deadlineFaults(spec["activeDeadlineSeconds"], before["activeDeadlineSeconds"]);
  causes.push(...deadline.causes);
  if (deadline.ends) return causes;
  causes.push(
    ...tolerationFaults(spec["tolerations"], before["tolerations"]),
    ...gateFaults(spec["schedulingGates"], before["schedulingGates"]),
  );
  const isGated = fieldsList(before["schedulingGates"]).length > 0;
  if (isGated) causes.push(...selectorFaults(spec, before));
  // Who was given no time at all may be given a second to end.
  const isHurried =
    Number(before["terminationGracePeriodSeconds"]) < 0 && spec["terminationGracePeriodSeconds"] === 1;
  const shown = isHurried
    ? { ...spec, terminationGracePeriodSeconds: before["terminationGracePeriodSeconds"] }
    : spec;
  // Whoever schedules may name the node in the pod itself, once.
  const isBound = before["nodeName"] !== undefined || spec["nodeName"] === undefined;
  const bound = isBound ? before : { ...before, nodeName: spec["nodeName"] };
  return equal(fixedPart(shown, isGated), fixedPart(bound, isGated))
    ? causes
    : [...causes, forbiddenValue("spec", immutable)];
};
