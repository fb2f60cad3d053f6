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
      errors.push(
        ...validatePorts(container, path),
        ...mountFaults(container, path, volumes),
        ...deviceFaults(container, path, volumes),
      );
    });
  }
  const policy = spec["restartPolicy"];
  if (policy === "Always" && !restartPolicies.includes("Always")) {
    const valid = restartPolicies.map((each) => JSON.stringify(each)).join(", ");
    errors.push(requiredValue(`${at}.restartPolicy`, `valid values: ${valid}`));
  } else if (!restartPolicies.includes(String(policy))) {
    errors.push(unsupportedValue(`${at}.restartPolicy`, policy, restartPolicies));
  }
  return errors;
}

function validateName(name: unknown, field: string): StatusCause[] {
  if (name === undefined || name === "") return [requiredValue(field)];
  const fault = labelNameFault(textOf(name));
  return fault === undefined ? [] : [invalidValue(field, name, fault)];
}

function validatePorts(container: Fields, path: string): StatusCause[] {
  return fieldsList(container["ports"]).flatMap(({ containerPort }, index) => {
    const field = `${path}.ports[${index}].containerPort`;
    if (containerPort === undefined || containerPort === 0) return [requiredValue(field)];
    const isPort = typeof containerPort === "number" && containerPort > 0 && containerPort < 65_536;
    return isPort ? [] : [invalidValue(field, containerPort, "must be between 1 and 65535, inclusive")];
  });
}
