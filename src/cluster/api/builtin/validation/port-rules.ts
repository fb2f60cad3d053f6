// What the ports of a container must be, and which of the host's a pod may have.
import {
  duplicateValue,
  invalidValue,
  requiredValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { fieldsList, textOf, type Fields } from "../../api-object.ts";
import { isEmpty, portNumber, protocol, type Rule } from "./rule.ts";

/** What is wrong with the name of a port, part for part. */
export function portNameFaults(name: string): readonly string[] {
  if (name.length > 15) return ["must be no more than 15 characters"];
  return [
    ...(/^[-a-z0-9]+$/.test(name)
      ? []
      : ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"]),
    ...(/[a-z]/.test(name) ? [] : ["must contain at least one letter (a-z)"]),
    ...(name.includes("--") ? ["must not contain consecutive hyphens"] : []),
    ...(/^-|-$/.test(name) ? ["must not begin or end with a hyphen"] : []),
  ];
}

/** The ports of a container. */
export const containerPorts: Rule = (value, at) => {
  const seen = new Set<unknown>();
  return fieldsList(value).flatMap((port, index) => {
    const { name, containerPort, hostPort } = port;
    const field = `${at}[${index}]`;
    const causes: StatusCause[] = [];
    if (!isEmpty(name)) {
      const faults = portNameFaults(textOf(name));
      causes.push(...faults.map((fault) => invalidValue(`${field}.name`, name, fault)));
      if (faults.length === 0 && seen.has(name)) causes.push(duplicateValue(`${field}.name`, name));
      seen.add(name);
    }
    const own = `${field}.containerPort`;
    if (isEmpty(containerPort)) causes.push(requiredValue(own));
    else causes.push(...portNumber(containerPort, own, port));
    if (!isEmpty(hostPort)) causes.push(...portNumber(hostPort, `${field}.hostPort`, port));
    return [...causes, ...protocol(port["protocol"], `${field}.protocol`, port)];
  });
};

/** Ports of the host that containers have at the same time, each once. */
export function hostPortConflicts(containers: readonly Fields[], at: string): readonly StatusCause[] {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    fieldsList(container["ports"]).flatMap((port, place): readonly StatusCause[] => {
      const { hostPort, hostIP, protocol: kind = "TCP" } = port;
      if (isEmpty(hostPort)) return [];
      const shown = `${textOf(kind)}/${textOf(hostIP)}/${Number(hostPort)}`;
      if (taken.has(shown)) return [duplicateValue(`${at}[${index}].ports[${place}].hostPort`, shown)];
      taken.add(shown);
      return [];
    }),
  );
}

/** A pod in the host's network has the host's ports. */
export function hostNetworkFaults(spec: Fields, at: string): readonly StatusCause[] {
  if (spec["hostNetwork"] !== true) return [];
  return fieldsList(spec["containers"]).flatMap((container, index) =>
    fieldsList(container["ports"]).flatMap((port, place): readonly StatusCause[] => {
      const { hostPort, containerPort } = port;
      if (isEmpty(hostPort) || hostPort === containerPort) return [];
      const field = `${at}.containers[${index}].ports[${place}].hostPort`;
      return [invalidValue(field, hostPort, "must match `containerPort` when `hostNetwork` is true")];
    }),
  );
}
