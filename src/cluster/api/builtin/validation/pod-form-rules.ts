// The forms of what a pod's spec says besides its containers and volumes: names, addresses, gates, tolerations.
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  tooLong,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { fieldsList, fieldsOf, listOf, textOf } from "../../api-object.ts";
import {
  labelNameFaults,
  labelValueFaults,
  qualifiedNameFaults,
  subdomainFaults,
} from "../../../../meta/name-rules.ts";
import { affinityRule, spreadRule } from "./affinity-rules.ts";
import { ipFault } from "./ip-rules.ts";
import { labelsRule } from "./label-rules.ts";
import { overheadRule } from "./resource-rules.ts";
import {
  between,
  each,
  fields,
  filled,
  isEmpty,
  oneOf,
  optional,
  required,
  text,
  type Rule,
} from "./rule.ts";

const hostAddress: Rule = (value, at, parent) => text(ipFault)(textOf(value), at, parent);

const qualified: Rule = (value, at) =>
  qualifiedNameFaults(textOf(value)).map((fault) => invalidValue(at, textOf(value), fault));

const operators = ["Equal", "Exists"];
/** They are switched off where nothing else is said; who asks for them is warned. */
const comparisons = ["Lt", "Gt"];

/** A toleration. */
export const tolerationRule: Rule = (value, at, parent) => {
  const { key, operator = "", effect, tolerationSeconds, value: given } = fieldsOf(value);
  const causes: StatusCause[] = [];
  if (!isEmpty(key)) causes.push(...qualified(key, `${at}.key`, parent));
  else if (operator !== "Exists") {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    causes.push(invalidValue(`${at}.operator`, operator, detail));
  }
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    causes.push(invalidValue(`${at}.effect`, effect ?? "", detail));
  }
  if (operator === "Exists") {
    if (!isEmpty(given)) {
      const detail = "value must be empty when `operator` is 'Exists'";
      causes.push(invalidValue(`${at}.operator`, given, detail));
    }
  } else if (operator === "" || operator === "Equal") {
    causes.push(
      ...labelValueFaults(textOf(given)).map((fault) => invalidValue(`${at}.operator`, given, fault)),
    );
  } else {
    const known = comparisons.includes(textOf(operator)) ? [...operators, ...comparisons] : operators;
    causes.push(unsupportedValue(`${at}.operator`, operator, known));
  }
  return [
    ...causes,
    ...filled(oneOf("NoSchedule", "PreferNoSchedule", "NoExecute"))(effect, `${at}.effect`, parent),
  ];
};

const searchPattern = /^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/;
const tooLongSearch = "must be no more than 253 characters";
const searchFault =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";

const longestSearch = 253;
const search: Rule = (value, at) => {
  const given = textOf(value);
  if (given === ".") return [];
  const domain = given.replace(/\.$/, "");
  return [
    ...(domain.length > longestSearch ? [invalidValue(at, domain, tooLongSearch)] : []),
    ...(searchPattern.test(domain) ? [] : [invalidValue(at, domain, searchFault)]),
  ];
};

const searches: Rule = (value, at, parent) => {
  const given = listOf(value);
  const causes: StatusCause[] = [];
  if (given.length > 32) causes.push(invalidValue(at, value, "must not have more than 32 search paths"));
  if (given.join(" ").length > 2_048) {
    const detail = "must not have more than 2048 characters (including spaces) in the search list";
    causes.push(invalidValue(at, value, detail));
  }
  return [...causes, ...each(search)(value, at, parent)];
};

const nameServers: Rule = (value, at) => {
  const servers = listOf(value);
  const tooMany =
    servers.length > 3 ? [invalidValue(at, value, "must not have more than 3 nameservers")] : [];
  return [...tooMany, ...each(text(ipFault))(value, at, {})];
};

const option: Rule = (value, at) =>
  isEmpty(fieldsOf(value)["name"]) ? [requiredValue(at, "must not be empty")] : [];

/** How names are looked up; a pod that uses nothing of the cluster's says all of it. */
const lookup: Rule = (value, at, { dnsPolicy, ...rest }) => {
  if (dnsPolicy === "None") {
    if (value === undefined) {
      return [requiredValue(at, "must provide `dnsConfig` when `dnsPolicy` is None")];
    }
    if (listOf(fieldsOf(value)["nameservers"]).length === 0) {
      const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      return [requiredValue(`${at}.nameservers`, detail)];
    }
  }
  return optional(fields({ nameservers: nameServers, searches, options: each(option) }))(value, at, rest);
};

const schedulingGates: Rule = (value, at, parent) => {
  const seen = new Set<unknown>();
  return fieldsList(value).flatMap(({ name }, index) => {
    const field = `${at}[${index}]`;
    const isTwice = seen.has(name);
    seen.add(name);
    return [...qualified(name, field, parent), ...(isTwice ? [duplicateValue(field, name ?? "")] : [])];
  });
};

const subdomain = filled(text(subdomainFaults));
const label = filled(text(labelNameFaults));

/** How a pod ends and looks up names, and what it says of its nodes. */
export const lookupRules: Rule = fields({
  restartPolicy: oneOf("Always", "OnFailure", "Never"),
  dnsPolicy: optional(oneOf("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")),
  nodeSelector: labelsRule,
});

/** The rest of the spec, as far as it concerns one field. */
export const podFormRules: Rule = fields({
  affinity: affinityRule,
  dnsConfig: lookup,
  readinessGates: each(fields({ conditionType: qualified })),
  schedulingGates,
  topologySpreadConstraints: spreadRule,
});

const longestHostname = 64;

/** The name of a pod in its network, where it is not that of the pod. */
const hostnameOverride: Rule = optional((value, at, { setHostnameAsFQDN, hostNetwork }) => [
  ...(setHostnameAsFQDN === true
    ? [forbiddenValue(at, "may not be specified when setHostnameAsFQDN is true")]
    : []),
  ...(hostNetwork === true ? [forbiddenValue(at, "may not be specified when hostNetwork is true")] : []),
  ...(textOf(value).length > longestHostname ? [tooLong(at, longestHostname)] : []),
  ...text(subdomainFaults)(value, at, {}),
]);

/** What comes after the rules of several fields. */
export const lastPodForms: Rule = fields({
  hostnameOverride,
  serviceAccountName: subdomain,
  nodeName: subdomain,
  activeDeadlineSeconds: optional(between(1, 2_147_483_647)),
  hostname: label,
  subdomain: label,
  tolerations: each(tolerationRule),
  hostAliases: each(fields({ ip: hostAddress, hostnames: each(text(subdomainFaults)) })),
  priorityClassName: subdomain,
  runtimeClassName: optional(text(subdomainFaults)),
  preemptionPolicy: optional(required(), filled(oneOf("PreemptLowerPriority", "Never"))),
  overhead: overheadRule,
});
