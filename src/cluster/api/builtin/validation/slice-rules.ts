// What EndpointSlices must be.
import { isIPv4, isIPv6 } from "node:net";
import {
  duplicateValue,
  invalidValue,
  requiredValue,
  tooMany,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { equal } from "../../../../schema/json-value.ts";
import {
  labelNameFault,
  labelNameFaults,
  labelValueFaults,
  qualifiedNameFaults,
  subdomainFault,
  subdomainFaults,
} from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, listOf, textOf } from "../../api-object.ts";
import { canonical, ipFault, reachFaults, type IsOfPod } from "./ip-rules.ts";
import { all, each, fields, oneOf, optional, protocol, text, type ChangeRule, type Rule } from "./rule.ts";

const mostAddresses = 100;
const mostHints = 8;

interface Judged {
  readonly type: string;
  readonly isOfPod: IsOfPod;
}

function addressFaults(
  { type, isOfPod }: Judged,
  address: string,
  list: string,
  at: string,
): readonly StatusCause[] {
  if (type === "FQDN") {
    const name = address.replace(/\.$/, "");
    const fault = subdomainFault(name);
    if (fault !== undefined) return [invalidValue(at, address, fault)];
    const detail = "should be a domain with at least two segments separated by dots";
    return name.includes(".") ? [] : [invalidValue(at, address, detail)];
  }
  if (type !== "IPv4" && type !== "IPv6") return [];
  const fault = ipFault(address);
  if (fault !== undefined) return [invalidValue(at, address, fault)];
  if (canonical(address) !== address) {
    return [invalidValue(at, address, `must be in canonical form ("${canonical(address)}")`)];
  }
  const isOfType = type === "IPv4" ? isIPv4(address) : isIPv6(address);
  const article = `must be an ${type} address`;
  return [
    // The real server names the list of an address of the other family.
    ...(isOfType ? [] : [invalidValue(list, address, article)]),
    ...reachFaults(address, isOfPod).map((fault) => invalidValue(at, address, fault)),
  ];
}

/** For whom an endpoint is: zones or nodes, each once. */
const hints: Rule = (value, at) => {
  const given = fieldsList(value);
  if (given.length > mostHints) return [tooMany(at, given.length, mostHints)];
  const seen = new Set<unknown>();
  return given.flatMap(({ name }, index): readonly StatusCause[] => {
    const field = `${at}[${index}].name`;
    const isTwice = seen.has(name);
    seen.add(name);
    const faults = (at.endsWith("forNodes") ? subdomainFaults : labelValueFaults)(textOf(name));
    return [
      ...(isTwice ? [duplicateValue(field, textOf(name))] : []),
      ...faults.map((fault) => invalidValue(field, textOf(name), fault)),
    ];
  });
};

const endpoint = fields({
  nodeName: optional(text(subdomainFaults)),
  hostname: optional(text(labelNameFaults)),
  hints: optional(fields({ forZones: hints, forNodes: hints })),
});

const ports: Rule = (value, at) => {
  const seen = new Set<unknown>();
  return fieldsList(value).flatMap((port, index): readonly StatusCause[] => {
    const { name = "", appProtocol } = port;
    const field = `${at}[${index}]`;
    const fault = name === "" ? undefined : labelNameFault(textOf(name));
    const causes: StatusCause[] = fault === undefined ? [] : [invalidValue(`${field}.name`, name, fault)];
    if (seen.has(name)) causes.push(duplicateValue(`${field}.name`, name));
    seen.add(name);
    const unknown =
      appProtocol === undefined
        ? []
        : qualifiedNameFaults(textOf(appProtocol)).map((wrong) =>
            invalidValue(`${field}.appProtocol`, appProtocol, wrong),
          );
    return [...causes, ...protocol(port["protocol"], `${field}.protocol`, port), ...unknown];
  });
};

/** What endpoints must be with one type of addresses. */
function endpointsOf(judged: Judged): Rule {
  const addresses: Rule = (given, at) => {
    const list = listOf(given);
    return [
      ...(list.length === 0 ? [requiredValue(at, "must contain at least 1 address")] : []),
      ...(list.length > mostAddresses ? [tooMany(at, list.length, mostAddresses)] : []),
      ...list.flatMap((address, index) => addressFaults(judged, textOf(address), at, `${at}[${index}]`)),
    ];
  };
  return each(all(fields({ addresses }), endpoint));
}

const addressType: Rule = (given, at, parent) =>
  textOf(given) === "" ? [requiredValue(at)] : oneOf("FQDN", "IPv4", "IPv6")(given, at, parent);

/** Changed `EndpointSlice` of discovery.k8s.io/v1, whose endpoints are looked at by what they were before. */
export const changedSliceRules: Rule = fields({ addressType, ports });

/** `EndpointSlice` of discovery.k8s.io/v1. */
export function sliceRules(isOfPod: IsOfPod): Rule {
  return (value, at, parent) => {
    const endpoints = endpointsOf({ type: textOf(fieldsOf(value)["addressType"]), isOfPod });
    return all(changedSliceRules, fields({ endpoints }))(value, at, parent);
  };
}

/** Endpoints that stay are as good as they were, with whatever type of addresses; and that type is settled once. */
export function sliceChanges(isOfPod: IsOfPod): ChangeRule {
  return (slice, previous) => {
    const { addressType: type, endpoints } = slice;
    const isOther = !equal(listOf(endpoints), listOf(previous["endpoints"]));
    return [
      ...(isOther ? endpointsOf({ type: textOf(type), isOfPod })(endpoints, "endpoints", slice) : []),
      ...(type === previous["addressType"]
        ? []
        : [invalidValue("addressType", type ?? "", "field is immutable")]),
    ];
  };
}
