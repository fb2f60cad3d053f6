// What of a pod may change once it is there: images, a shorter deadline, more tolerations, fewer gates.
import { equal } from "../../../../schema/json-value.ts";
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { fieldsList, fieldsOf, isFields, textOf, type Fields } from "../../api-object.ts";
import { isSentEmpty } from "../../sent-empty.ts";
import { goForm } from "../go-form.ts";
import { resizeChanges } from "./pod-resize-rules.ts";
import { tolerationRule } from "./pod-form-rules.ts";
import { each, invalidStruct, isEmpty, type ChangeRule } from "./rule.ts";

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
  const isKept = fieldsList(before).every((old) => kept.some((item) => equal(item, timeless(old))));
  const detail = "existing toleration can not be modified except its tolerationSeconds";
  // The real server looks at what is tolerated twice.
  return isKept
    ? each(tolerationRule)(now, "spec.tolerations", {})
    : [forbiddenValue("spec.tolerations", detail)];
}

function gateFaults(now: unknown, before: unknown): readonly StatusCause[] {
  const known = new Set(fieldsList(before).map(({ name }) => name));
  const added = new Map(fieldsList(now).map(({ name }, index) => [textOf(name), index]));
  return [...added].flatMap(([name, index]): readonly StatusCause[] => {
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return known.has(name) ? [] : [forbiddenValue(`spec.schedulingGates[${index}].name`, detail)];
  });
}

/** The choice of nodes of a pod that waits for its gates may only become narrower. */
function selectorFaults(spec: Fields, before: Fields): readonly StatusCause[] {
  const [now, then] = [fieldsOf(spec["nodeSelector"]), fieldsOf(before["nodeSelector"])];
  if (Object.entries(then).every(([key, value]) => now[key] === value)) return [];
  const detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
  const none = isSentEmpty(spec, "nodeSelector") ? {} : null;
  return [invalidValue("spec.nodeSelector", spec["nodeSelector"] ?? none, detail)];
}

/** Where terms say which nodes are required, their requirements may only become more. */
function affinityFaults(spec: Fields, before: Fields): readonly StatusCause[] {
  const termsOf = (of: Fields): readonly Fields[] => {
    const { requiredDuringSchedulingIgnoredDuringExecution: required } = fieldsOf(
      fieldsOf(of["affinity"])["nodeAffinity"],
    );
    return fieldsList(fieldsOf(required)["nodeSelectorTerms"]);
  };
  const [now, then] = [termsOf(spec), termsOf(before)];
  const at = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  if (then.length === 0) return [];
  const shown = (term: Fields): Fields => goForm("io.k8s.api.core.v1.NodeSelectorTerm", term);
  if (now.length !== then.length) {
    const detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
    return now.length === 0 ? [invalidValue(at, null, detail)] : [invalidStruct(at, now.map(shown), detail)];
  }
  const parts = ["matchExpressions", "matchFields"];
  return then.flatMap((old, index): readonly StatusCause[] => {
    const term = now[index] ?? {};
    const isEmptied = parts.every((part) => fieldsList(old[part]).length === 0);
    const isFilled = parts.some((part) => fieldsList(term[part]).length > 0);
    const isKept = parts.every((part) =>
      fieldsList(old[part]).every((item, place) => equal(item, fieldsList(term[part])[place])),
    );
    if (isKept && !(isEmptied && isFilled)) return [];
    const detail = "only additions are allowed (no mutations or deletions)";
    return [invalidStruct(`${at}[${index}]`, shown(term), detail)];
  });
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
  if (isGated) causes.push(...selectorFaults(spec, before), ...affinityFaults(spec, before));
  // Who was given no time at all may be given a second to end.
  const isHurried =
    Number(before["terminationGracePeriodSeconds"]) < 0 && spec["terminationGracePeriodSeconds"] === 1;
  const shown = isHurried
    ? { ...spec, terminationGracePeriodSeconds: before["terminationGracePeriodSeconds"] }
    : spec;
  return equal(fixedPart(shown, isGated), fixedPart(before, isGated))
    ? causes
    : [...causes, forbiddenValue("spec", immutable)];
};
