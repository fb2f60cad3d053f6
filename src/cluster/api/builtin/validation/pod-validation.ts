// The most useful checks of a pod spec: containers with names and images, no name twice, volumes that exist.
import {
  duplicateValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { fieldsList, textOf, type Fields } from "../../api-object.ts";
import { deviceFaults, mountFaults, volumeFaults } from "./pod-volume-rules.ts";
import { labelNameFault } from "../../../../meta/name-rules.ts";

const anyPolicy = ["Always", "OnFailure", "Never"];

/** Faults of a pod spec at a path. `claimNames`: the claims of a StatefulSet, which are volumes of its pods too. */
export function validatePodSpec(
  spec: Fields,
  at: string,
  restartPolicies: readonly string[],
  claimNames: readonly unknown[] = [],
): StatusCause[] {
  const errors: StatusCause[] = [];
  const containers = fieldsList(spec["containers"]);
  if (containers.length === 0) errors.push(requiredValue(`${at}.containers`));
  const { causes, volumes } = volumeFaults(spec, at, claimNames);
  errors.push(...causes);
  const names = new Set<unknown>();
  for (const [list, entries] of [
    ["containers", containers],
    ["initContainers", fieldsList(spec["initContainers"])],
  ] as const) {
    entries.forEach((container, index) => {
      const path = `${at}.${list}[${index}]`;
      const { name, image } = container;
      errors.push(...validateName(name, `${path}.name`));
      if (names.has(name)) errors.push(duplicateValue(`${path}.name`, name));
      names.add(name);
      if (image === undefined || image === "") errors.push(requiredValue(`${path}.image`));
      errors.push(...mountFaults(container, path, volumes), ...deviceFaults(container, path, volumes));
    });
  }
  const policy = spec["restartPolicy"];
  if (policy === "Always" && !restartPolicies.includes("Always")) {
    const valid = restartPolicies.map((each) => JSON.stringify(each)).join(", ");
    errors.push(requiredValue(`${at}.restartPolicy`, `valid values: ${valid}`));
  } else if (!restartPolicies.includes(String(policy))) {
    // What no pod can have is named once as such, and once as what these cannot have.
    const isKnown = anyPolicy.includes(String(policy)) || restartPolicies.length === anyPolicy.length;
    if (!isKnown) errors.push(unsupportedValue(`${at}.restartPolicy`, policy, anyPolicy));
    errors.push(unsupportedValue(`${at}.restartPolicy`, policy, restartPolicies));
  }
  return errors;
}

function validateName(name: unknown, field: string): StatusCause[] {
  if (name === undefined || name === "") return [requiredValue(field)];
  const fault = labelNameFault(textOf(name));
  return fault === undefined ? [] : [invalidValue(field, name, fault)];
}
