// What Services must be: their ports, whom they answer, and how they are reached from outside.
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { labelNameFaults, qualifiedNameFaults, subdomainFaults } from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, listOf, textOf, type Fields } from "../../api-object.ts";
import { ipFault, rangeFault, reachFaults } from "./ip-rules.ts";
import { labelsRule } from "./label-rules.ts";
import { portNameFaults } from "./port-rules.ts";
import { isHeadless, serviceAddressChanges, serviceAddressRules } from "./service-address-rules.ts";
import {
  all,
  each,
  fields,
  filled,
  forbidden,
  isEmpty,
  oneOf,
  optional,
  portNumber,
  protocol,
  required,
  text,
  when,
  type ChangeRule,
  type Rule,
} from "./rule.ts";

/** As Go prints the part of a port that is compared, which is how a duplicate is shown. */
function goPort(given: Fields): unknown {
  return {
    Name: "",
    Protocol: given["protocol"] ?? "TCP",
    AppProtocol: null,
    Port: given["port"] ?? 0,
    TargetPort: 0,
    NodePort: 0,
  };
}

const portRules: Rule = fields({
  name: filled(text(labelNameFaults)),
  port: portNumber,
  protocol,
  targetPort: (value, at, parent) =>
    typeof value === "number"
      ? portNumber(value, at, parent)
      : portNameFaults(textOf(value)).map((fault) => invalidValue(at, textOf(value), fault)),
  appProtocol: optional(text(qualifiedNameFaults)),
});

/** Each port has a name of its own, where there are several. */
const portNames: Rule = (value, at) => {
  const ports = fieldsList(value);
  const names = ports.map(({ name }) => textOf(name));
  return names.flatMap((name, index): readonly StatusCause[] => {
    const field = `${at}[${index}].name`;
    if (name === "") return ports.length > 1 ? [requiredValue(field)] : [];
    return names.indexOf(name) < index ? [duplicateValue(field, name)] : [];
  });
};

/** No port is there twice, here or on the nodes. */
const uniquePorts: Rule = (value, at) => {
  const ports = fieldsList(value);
  const repeats = (name: string): readonly number[] => {
    const keys = ports.map((port) => `${textOf(port["protocol"])}/${String(port[name])}`);
    return keys.flatMap((key, index) =>
      (name === "port" || !isEmpty(ports[index]?.[name])) && keys.indexOf(key) < index ? [index] : [],
    );
  };
  return [
    ...repeats("nodePort").map((index) =>
      duplicateValue(`${at}[${index}].nodePort`, ports[index]?.["nodePort"]),
    ),
    ...repeats("port").map((index) => {
      const message = `Duplicate value: ${JSON.stringify(goPort(ports[index] ?? {}))}`;
      return { reason: "FieldValueDuplicate" as const, message, field: `${at}[${index}]` };
    }),
  ];
};

const isBalanced = ({ type }: Fields): boolean => type === "LoadBalancer";
const onlyBalanced = forbidden("may only be used when `type` is 'LoadBalancer'");
const notBalanced: Rule = when((parent) => !isBalanced(parent), onlyBalanced);

const ports: Rule = all(
  when((spec) => !isHeadless(spec) && spec["type"] !== "ExternalName", required()),
  each(portRules),
  portNames,
  when(
    ({ type }) => type === "ClusterIP",
    each(fields({ nodePort: forbidden("may not be used when `type` is 'ClusterIP'") })),
  ),
  uniquePorts,
);

const externalAddress: Rule = (value, at) => {
  const address = textOf(value);
  const fault = ipFault(address);
  const faults = fault === undefined ? reachFaults(address) : [fault];
  return faults.map((each_) => invalidValue(at, address, each_));
};

/** Whether somebody outside of the cluster can come in. */
export function isReachedFromOutside({ type, externalIPs }: Fields): boolean {
  return (
    type === "NodePort" || isBalanced({ type }) || (type === "ClusterIP" && listOf(externalIPs).length > 0)
  );
}

const traffic = oneOf("Cluster", "Local");

const externalPolicy: Rule = (value, at, spec) => {
  if (isReachedFromOutside(spec)) return isEmpty(value) ? [requiredValue(at)] : traffic(value, at, spec);
  return isEmpty(value)
    ? []
    : [invalidValue(at, value, "may only be set for externally-accessible services")];
};
const healthPort: Rule = (value, at, spec) => {
  if (isBalanced(spec) && spec["externalTrafficPolicy"] === "Local") {
    return isEmpty(value) ? [requiredValue(at)] : portNumber(value, at, spec);
  }
  const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return isEmpty(value) ? [] : [invalidValue(at, value, detail)];
};

/** A name may end with a dot. */
const externalName: Rule = (value, at, parent) => {
  const name = textOf(value).replace(/\.$/, "");
  return name === "" ? [requiredValue(at)] : text(subdomainFaults)(name, at, parent);
};

const longestAffinity = 86_400;
const affinity: Rule = optional((value, at) => {
  const { timeoutSeconds } = fieldsOf(fieldsOf(value)["clientIP"]);
  if (Number(timeoutSeconds) > 0 && Number(timeoutSeconds) <= longestAffinity) return [];
  const detail = `must be greater than 0 and less than ${longestAffinity}`;
  return [invalidValue(`${at}.clientIP.timeoutSeconds`, timeoutSeconds ?? 0, detail)];
});

const classField = "spec.loadBalancerClass";
/** An empty one is one, too. */
const classRule: Rule = optional((value, at, spec) =>
  isBalanced(spec)
    ? text(qualifiedNameFaults)(value, at, spec)
    : [forbiddenValue(at, "may only be used when `type` is 'LoadBalancer'")],
);

const rangesAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges";

/** Who may reach a load balancer: said in a field, or as before in an annotation. */
const sourceRanges: Rule = (value) => {
  const { metadata, spec } = fieldsOf(value);
  const service = fieldsOf(spec);
  const given = listOf(service["loadBalancerSourceRanges"]);
  const { [rangesAnnotation]: noted } = fieldsOf(fieldsOf(metadata)["annotations"]);
  const ranges = given.length > 0 ? given.map(String) : textOf(noted).trim().split(",");
  if (given.length === 0 && noted === undefined) return [];
  // The server names this field as Go does.
  const at = given.length > 0 ? "spec.LoadBalancerSourceRanges" : `metadata.annotations[${rangesAnnotation}]`;
  const faults = ranges.flatMap((range, index) => {
    const fault = noted === "" ? undefined : rangeFault(range.trim());
    const place = given.length > 0 ? `${at}[${index}]` : at;
    return fault === undefined ? [] : [invalidValue(place, range.trim(), fault)];
  });
  return [...(isBalanced(service) ? [] : onlyBalanced(ranges, at, service)), ...faults];
};

/** `Service` of v1. */
export const serviceRules: Rule = all(
  fields({
    spec: all(
      fields({
        ports,
        selector: labelsRule,
        sessionAffinity: oneOf("ClientIP", "None"),
        sessionAffinityConfig: when(({ sessionAffinity }) => sessionAffinity === "ClientIP", affinity),
        externalName: when(({ type }) => type === "ExternalName", externalName),
        externalIPs: (value, at) =>
          listOf(value).flatMap((address, index) => externalAddress(address, `${at}[${index}]`, {})),
        type: oneOf("ClusterIP", "ExternalName", "LoadBalancer", "NodePort"),
        allocateLoadBalancerNodePorts: optional(notBalanced),
        loadBalancerClass: classRule,
        externalTrafficPolicy: externalPolicy,
        healthCheckNodePort: healthPort,
        internalTrafficPolicy: optional(oneOf("Cluster", "Local")),
        trafficDistribution: optional(oneOf("PreferClose", "PreferSameZone", "PreferSameNode")),
      }),
      serviceAddressRules,
    ),
  }),
  sourceRanges,
);

/** What of a `Service` stays while it is a load balancer, and its addresses. */
export const serviceChanges: ChangeRule = (object, previous) => {
  const [spec, before] = [fieldsOf(object["spec"]), fieldsOf(previous["spec"])];
  const [port, former] = [spec["healthCheckNodePort"], before["healthCheckNodePort"]];
  const areBalanced = isBalanced(spec) && isBalanced(before);
  const isChecked = [spec, before].every(({ externalTrafficPolicy }) => externalTrafficPolicy === "Local");
  const isOther = areBalanced && spec["loadBalancerClass"] !== before["loadBalancerClass"];
  const { loadBalancerClass } = spec;
  return [
    ...serviceAddressChanges(object, previous),
    ...(isOther ? [invalidValue(classField, loadBalancerClass ?? null, "may not change once set")] : []),
    // The real server looks twice at that of one that is changed.
    ...classRule(loadBalancerClass, classField, spec),
    ...(areBalanced && isChecked && port !== former
      ? [forbiddenValue("spec.healthCheckNodePort", "field is immutable")]
      : []),
  ];
};
