// The forms of the rest of a pod's spec: names, addresses, users, tolerations, affinities.
import { isIP } from "node:net";
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { fieldsList, fieldsOf, listOf, textOf } from "../../api-object.ts";
import {
  labelNameFault,
  labelValueFault,
  qualifiedNameFault,
  qualifiedNameFaults,
  subdomainFault,
} from "../../../../meta/name-rules.ts";
import { labelSelectorRule } from "./webhook-rules.ts";
import { all, each, fields, isEmpty, oneOf, optional, text, when, type Rule } from "./rule.ts";

/** What is wrong with a text that is to be an address. */
export function ipFault(address: string): string | undefined {
  return isIP(address) === 0 ? "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)" : undefined;
}

/** A rule for texts that are not empty. */
export function filled(rule: Rule): Rule {
  return (value, at, parent) => (isEmpty(value) ? [] : rule(value, at, parent));
}

const userId = optional((value, at) =>
  Number(value) >= 0 && Number(value) <= 2_147_483_647
    ? []
    : [invalidValue(at, value, "must be between 0 and 2147483647, inclusive")],
);

const seccomp = optional(
  fields({
    type: oneOf("Localhost", "RuntimeDefault", "Unconfined"),
    localhostProfile: when(
      ({ type }) => type === "Localhost",
      (value, at) =>
        isEmpty(value) ? [requiredValue(at, "must be set when seccomp type is Localhost")] : [],
    ),
  }),
);

/** Who runs a pod or a container. */
export const identityRules: Readonly<Record<string, Rule>> = {
  runAsUser: userId,
  runAsGroup: userId,
  seccompProfile: seccomp,
};

const sysctlName = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const sysctlFault =
  "must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

const podSecurity: Rule = optional(
  fields({
    ...identityRules,
    fsGroup: userId,
    supplementalGroups: each(userId),
    supplementalGroupsPolicy: optional(oneOf("Merge", "Strict")),
    fsGroupChangePolicy: optional(oneOf("Always", "OnRootMismatch")),
    sysctls: each(fields({ name: text((name) => (sysctlName.test(name) ? undefined : sysctlFault)) })),
  }),
);

const toleration: Rule = (value, at) => {
  const { key, operator, effect, tolerationSeconds } = fieldsOf(value);
  const causes: StatusCause[] = [];
  if (!isEmpty(key)) {
    const fault = qualifiedNameFault(textOf(key));
    if (fault !== undefined) causes.push(invalidValue(`${at}.key`, key, fault));
  } else if (operator !== "Exists") {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    causes.push(invalidValue(`${at}.operator`, operator ?? "", detail));
  }
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    causes.push(invalidValue(`${at}.effect`, effect ?? "", detail));
  }
  return causes;
};

const nodeRequirement: Rule = (value, at) => {
  const { key, operator } = fieldsOf(value);
  const values = listOf(fieldsOf(value)["values"]);
  const causes: StatusCause[] = [];
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      causes.push(requiredValue(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      causes.push(forbiddenValue(`${at}.values`, detail));
    }
  } else if (operator === "Gt" || operator === "Lt") {
    if (values.length !== 1) {
      causes.push(
        requiredValue(`${at}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"),
      );
    }
  } else causes.push(invalidValue(`${at}.operator`, operator ?? "", "not a valid selector operator"));
  const fault = qualifiedNameFault(textOf(key));
  if (fault !== undefined) causes.push(invalidValue(`${at}.key`, key ?? "", fault));
  return causes;
};

const nodeTerm = fields({ matchExpressions: each(nodeRequirement) });
const weight: Rule = (value, at) =>
  Number(value) >= 1 && Number(value) <= 100
    ? []
    : [invalidValue(at, value ?? 0, "must be in the range 1-100")];

const nodeAffinity: Rule = optional(
  fields({
    requiredDuringSchedulingIgnoredDuringExecution: optional(
      fields({
        nodeSelectorTerms: all(
          (value, at) =>
            listOf(value).length === 0
              ? [requiredValue(at, "must have at least one node selector term")]
              : [],
          each(nodeTerm),
        ),
      }),
    ),
    preferredDuringSchedulingIgnoredDuringExecution: each(fields({ weight, preference: nodeTerm })),
  }),
);

const matchedKeys: Rule = (value, at, parent) => {
  if (listOf(value).length === 0) return [];
  if (parent["labelSelector"] === undefined) {
    return [forbiddenValue(at, "must not be specified when labelSelector is not set")];
  }
  return listOf(value).flatMap((key, index) =>
    qualifiedNameFaults(textOf(key)).map((fault) => invalidValue(`${at}[${index}]`, key, fault)),
  );
};

/** How pods are spread over domains, besides what pod-rules.ts asks. */
const spread: Rule = fields({
  minDomains: optional((value, at, { whenUnsatisfiable }) => {
    if (Number(value) <= 0) return [invalidValue(at, value, "must be greater than zero")];
    if (whenUnsatisfiable === "DoNotSchedule") return [];
    const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${textOf(whenUnsatisfiable)}`;
    return [invalidValue(at, value, detail)];
  }),
  nodeAffinityPolicy: optional(oneOf("Honor", "Ignore")),
  nodeTaintsPolicy: optional(oneOf("Honor", "Ignore")),
  labelSelector: optional(labelSelectorRule),
  matchLabelKeys: matchedKeys,
});

const podTerm = fields({
  labelSelector: optional(labelSelectorRule),
  namespaceSelector: optional(labelSelectorRule),
  matchLabelKeys: matchedKeys,
  mismatchLabelKeys: matchedKeys,
  topologyKey: (value, at) => {
    if (isEmpty(value)) {
      return [
        requiredValue(at, "can not be empty"),
        invalidValue(at, "", "name part must be non-empty"),
        invalidValue(at, "", qualifiedNameFault("") ?? ""),
      ];
    }
    const fault = qualifiedNameFault(textOf(value));
    return fault === undefined ? [] : [invalidValue(at, value, fault)];
  },
});
const podAffinity: Rule = optional(
  fields({
    requiredDuringSchedulingIgnoredDuringExecution: each(podTerm),
    preferredDuringSchedulingIgnoredDuringExecution: each(fields({ weight, podAffinityTerm: podTerm })),
  }),
);

const searchPattern = /^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/;
const searchFault =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";

const nameServers: Rule = (value, at) => {
  const servers = listOf(value);
  const tooMany =
    servers.length > 3 ? [invalidValue(at, value, "must not have more than 3 nameservers")] : [];
  return [...tooMany, ...each(text(ipFault))(value, at, {})];
};

const containerNames: Rule = (value, at) => {
  const taken = new Set(fieldsList(fieldsOf(value)["containers"]).map(({ name }) => name));
  return fieldsList(fieldsOf(value)["initContainers"]).flatMap((container, index) => {
    const field = `${at}.initContainers[${index}]`;
    const { name, restartPolicy } = container;
    const causes: StatusCause[] = taken.has(name) ? [duplicateValue(`${field}.name`, name)] : [];
    if (restartPolicy === "Always") return causes;
    for (const probe of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"]) {
      if (container[probe] === undefined) continue;
      const detail = "may not be set for init containers without restartPolicy=Always";
      causes.push(forbiddenValue(`${field}.${probe}`, detail));
    }
    return causes;
  });
};

const sharedProcesses: Rule = (value, at) => {
  const { hostPID, shareProcessNamespace } = fieldsOf(value);
  if (hostPID !== true || shareProcessNamespace !== true) return [];
  const detail = "ShareProcessNamespace and HostPID cannot both be enabled";
  return [invalidValue(`${at}.securityContext.shareProcessNamespace`, true, detail)];
};

const operatingSystem: Rule = optional((value, at) => {
  const name = textOf(fieldsOf(value)["name"]);
  if (name === "") return [requiredValue(`${at}.name`, "cannot be empty")];
  return name === "linux" || name === "windows" ? [] : [unsupportedValue(at, name, ["linux", "windows"])];
});

const conditionType: Rule = text(qualifiedNameFault);

/** What a pod's spec must be, besides what pod-rules.ts asks. */
export const podFormRules: Rule = all(
  fields({
    hostname: filled(text(labelNameFault)),
    subdomain: filled(text(labelNameFault)),
    nodeName: filled(text(subdomainFault)),
    serviceAccountName: filled(text(subdomainFault)),
    nodeSelector: (value, at) =>
      Object.values(fieldsOf(value)).flatMap((label) => {
        const fault = labelValueFault(String(label));
        return fault === undefined ? [] : [invalidValue(at, label, fault)];
      }),
    dnsConfig: optional(
      fields({
        nameservers: nameServers,
        searches: each(text((search) => (searchPattern.test(search) ? undefined : searchFault))),
      }),
    ),
    hostAliases: each(fields({ ip: text(ipFault), hostnames: each(text(subdomainFault)) })),
    tolerations: each(toleration),
    topologySpreadConstraints: each(spread),
    readinessGates: each(fields({ conditionType })),
    schedulingGates: each((value, at) => {
      const { name } = fieldsOf(value);
      const fault = qualifiedNameFault(textOf(name));
      return fault === undefined ? [] : [invalidValue(at, name ?? "", fault)];
    }),
    securityContext: podSecurity,
    affinity: optional(fields({ nodeAffinity, podAffinity, podAntiAffinity: podAffinity })),
    os: operatingSystem,
  }),
  containerNames,
  sharedProcesses,
);
