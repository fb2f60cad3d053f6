// What the subresources of a pod may write of it: the ephemeral containers that are added to look at it, and the resources of its
// containers. https://kubernetes.io/docs/concepts/workloads/pods/ephemeral-containers/ and …/tasks/configure-pod-container/resize-container-resources/
import { fieldsList, fieldsOf, type ApiObject, type Fields } from "../../api-object.ts";

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
