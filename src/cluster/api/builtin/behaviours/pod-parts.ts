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
  const lists = ["containers", "initContainers"];
  // What changes more than may be resized is left as it is sent, and then refused.
  if (lists.some((list) => fieldsList(given[list]).length !== fieldsList(spec[list]).length)) return next;
  const { resources: _resources, ...resized }: Fields = spec;
  if (given["resources"] !== undefined) resized["resources"] = given["resources"];
  for (const list of lists) {
    if (spec[list] !== undefined)
      resized[list] = resizedOnes(fieldsList(given[list]), fieldsList(spec[list]));
  }
  return { ...current, spec: resized };
}

function resizedOnes(given: readonly Fields[], current: readonly Fields[]): readonly Fields[] {
  if (given.some(({ name }, index) => name !== current[index]?.["name"])) return given;
  return current.map(({ resizePolicy: _policy, ...container }, index) => {
    const { resources = {}, resizePolicy } = given[index] ?? {};
    return { ...container, resources, ...(resizePolicy === undefined ? {} : { resizePolicy }) };
  });
}
