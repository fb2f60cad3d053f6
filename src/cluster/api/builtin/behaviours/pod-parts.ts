// What the subresources of a pod may write of it: the ephemeral containers that are added to look at it, and the resources of its
// containers. https://kubernetes.io/docs/concepts/workloads/pods/ephemeral-containers/ and …/tasks/configure-pod-container/resize-container-resources/
import { equal } from "../../../../schema/json-value.ts";
import {
  duplicateValue,
  forbiddenValue,
  requiredValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { fieldsList, fieldsOf, textOf, type ApiObject, type Fields } from "../../api-object.ts";

/** The current pod with the part of the next one that the subresource may write; undefined for another subresource. */
export function writtenPodPart(
  subresource: string | undefined,
  next: ApiObject,
  current: ApiObject,
): ApiObject | undefined {
  if (subresource !== "ephemeralcontainers" && subresource !== "resize") return undefined;
  const [spec, given] = [fieldsOf(current["spec"]), fieldsOf(next["spec"])];
  if (subresource === "ephemeralcontainers") {
    const { ephemeralContainers: _, ...rest } = spec;
    const added = given["ephemeralContainers"];
    return {
      ...current,
      spec: { ...rest, ...(added === undefined ? {} : { ephemeralContainers: added }) },
    };
  }
  const resized: Fields = { ...spec };
  for (const list of ["containers", "initContainers"]) {
    if (spec[list] === undefined) continue;
    const wanted = new Map(fieldsList(given[list]).map((each) => [each["name"], each]));
    resized[list] = fieldsList(spec[list]).map((container) => {
      const { resources, resizePolicy } = wanted.get(container["name"]) ?? container;
      return {
        ...container,
        resources: resources ?? {},
        ...(resizePolicy === undefined ? {} : { resizePolicy }),
      };
    });
  }
  return { ...current, spec: resized };
}

/** The spec without what a resize may change. */
export function withoutResources(spec: Fields): Fields {
  const strip = (list: unknown): Fields[] =>
    fieldsList(list).map((container) => {
      const { limits, requests, ...rest } = fieldsOf(container["resources"]);
      const { resizePolicy: _, ...others } = container;
      return { ...others, resources: { ...rest, limits: fixedOnes(limits), requests: fixedOnes(requests) } };
    });
  return { ...spec, containers: strip(spec["containers"]), initContainers: strip(spec["initContainers"]) };
}

function fixedOnes(quantities: unknown): Fields {
  const { cpu: _cpu, memory: _memory, ...rest } = fieldsOf(quantities);
  return rest;
}

const allowedInEphemeral = new Set([
  "name",
  "targetContainerName",
  "image",
  "command",
  "args",
  "workingDir",
  "env",
  "envFrom",
  "volumeMounts",
  "volumeDevices",
  "terminationMessagePath",
  "terminationMessagePolicy",
  "imagePullPolicy",
  "securityContext",
  "stdin",
  "stdinOnce",
  "tty",
]);
const notInEphemeral = "cannot be set for an Ephemeral Container";

/** Faults of the ephemeral containers of a pod, and of what was changed in them. */
export function ephemeralFaults(spec: Fields, previous: Fields): StatusCause[] {
  const errors: StatusCause[] = [];
  const others = ["containers", "initContainers"].flatMap((list) =>
    fieldsList(spec[list]).map(({ name }) => name),
  );
  const targets = new Set<unknown>(fieldsList(spec["containers"]).map(({ name }) => name));
  const names = new Set<unknown>(others);
  const containers = fieldsList(spec["ephemeralContainers"]);
  containers.forEach((container, index) => {
    const at = `spec.ephemeralContainers[${index}]`;
    const { name, image, targetContainerName: target } = container;
    if (textOf(name) === "") errors.push(requiredValue(`${at}.name`));
    else if (names.has(name)) errors.push(duplicateValue(`${at}.name`, name));
    names.add(name);
    if (textOf(image) === "") errors.push(requiredValue(`${at}.image`));
    if (textOf(target) !== "" && !targets.has(target)) {
      errors.push({
        reason: "FieldValueNotFound",
        message: `Not found: ${JSON.stringify(target)}`,
        field: `${at}.targetContainerName`,
      });
    }
    for (const [field, value] of Object.entries(container)) {
      if (!allowedInEphemeral.has(field) && !isNothing(value)) {
        errors.push(forbiddenValue(`${at}.${field}`, notInEphemeral));
      }
    }
    fieldsList(container["volumeMounts"]).forEach((mount, mountIndex) => {
      for (const field of ["subPath", "subPathExpr"]) {
        if (textOf(mount[field]) !== "")
          errors.push(forbiddenValue(`${at}.volumeMounts[${mountIndex}].${field}`, notInEphemeral));
      }
    });
  });
  for (const old of fieldsList(previous["ephemeralContainers"])) {
    const kept = containers.find(({ name }) => name === old["name"]);
    const change = kept === undefined ? "removed" : equal(kept, old) ? undefined : "changed";
    if (change !== undefined) {
      const detail = `existing ephemeral containers ${JSON.stringify(old["name"])} may not be ${change}\n`;
      errors.push(forbiddenValue("spec.ephemeralContainers", detail));
    }
  }
  return errors;
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}
