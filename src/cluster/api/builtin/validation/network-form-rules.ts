// The forms of the rest of Services, Ingresses, NetworkPolicies and endpoints.
import { BlockList, isIP } from "node:net";
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { labelNameFault, qualifiedNameFault, subdomainFault } from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, listOf, textOf } from "../../api-object.ts";
import { ipFault } from "./pod-form-rules.ts";
import { portNameFaults } from "./port-rules.ts";
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
  required,
  text,
  when,
  type Rule,
} from "./rule.ts";
import { labelSelectorRule } from "./webhook-rules.ts";
import { labelsRule } from "./label-rules.ts";

const isBalanced = ({ type }: { readonly type?: unknown }): boolean => type === "LoadBalancer";
const onlyBalanced = forbidden("may only be used when `type` is 'LoadBalancer'");
const notBalanced: Rule = when((parent) => !isBalanced(parent), onlyBalanced);

/** What is wrong with a text that is to be a range of addresses. */
export function rangeFault(range: string): string | undefined {
  const [address = "", bits = "", ...rest] = range.split("/");
  const most = isIP(address) === 4 ? 32 : 128;
  return isIP(address) !== 0 && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most
    ? undefined
    : "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
}

/** An address that others can reach. */
const outerAddress: Rule = (value, at) => {
  const fault = ipFault(textOf(value));
  if (fault !== undefined) return [invalidValue(at, value, fault)];
  const isLoopback = textOf(value).startsWith("127.") || value === "::1";
  const detail = "may not be in the loopback range (127.0.0.0/8, ::1/128)";
  return isLoopback ? [invalidValue(at, value, detail)] : [];
};

/** An address of an endpoint; whether it is one is asked elsewhere. */
const reachable: Rule = (value, at, parent) =>
  ipFault(textOf(value)) === undefined ? outerAddress(value, at, parent) : [];

const servicePort: Rule = fields({
  name: filled(text(labelNameFault)),
  appProtocol: filled(text(qualifiedNameFault)),
});

/** The spec of a Service, besides what service-rules.ts asks. */
export const serviceFormRules: Rule = all(
  fields({
    ports: each(servicePort),
    selector: labelsRule,
    sessionAffinityConfig: when(
      ({ sessionAffinity }) => sessionAffinity === "ClientIP",
      optional((value, at) => {
        const { timeoutSeconds } = fieldsOf(fieldsOf(value)["clientIP"]);
        return Number(timeoutSeconds) > 0 && Number(timeoutSeconds) <= 86_400
          ? []
          : [
              invalidValue(
                `${at}.clientIP.timeoutSeconds`,
                timeoutSeconds ?? 0,
                "must be greater than 0 and less than 86400",
              ),
            ];
      }),
    ),
    externalTrafficPolicy: when(
      ({ type }) => type === "NodePort" || type === "LoadBalancer",
      optional(oneOf("Cluster", "Local")),
    ),
    externalIPs: each(outerAddress),
    loadBalancerClass: all(notBalanced, when(isBalanced, filled(classRule))),
    allocateLoadBalancerNodePorts: notBalanced,
    healthCheckNodePort: when(
      ({ type, externalTrafficPolicy }) => type !== "LoadBalancer" || externalTrafficPolicy !== "Local",
      filled((value, at) => [
        invalidValue(
          at,
          value,
          "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
        ),
      ]),
    ),
    ipFamilies: each(oneOf("IPv4", "IPv6")),
    ipFamilyPolicy: optional(oneOf("PreferDualStack", "RequireDualStack", "SingleStack")),
    trafficDistribution: optional(oneOf("PreferClose", "PreferSameZone", "PreferSameNode")),
    externalName: when(({ type }) => type === "ExternalName", filled(text(subdomainFault))),
  }),
  // The server names this field as Go does.
  (value, at) => {
    const { loadBalancerSourceRanges } = fieldsOf(value);
    const ranges = listOf(loadBalancerSourceRanges);
    const field = `${at}.LoadBalancerSourceRanges`;
    if (ranges.length === 0) return [];
    return [
      ...(isBalanced(fieldsOf(value)) ? [] : onlyBalanced(ranges, field, fieldsOf(value))),
      ...each(text(rangeFault))(ranges, field, fieldsOf(value)),
    ];
  },
);

function classRule(value: unknown, at: string): readonly StatusCause[] {
  const fault = qualifiedNameFault(textOf(value));
  return fault === undefined ? [] : [invalidValue(at, value, fault)];
}

const ingressPath: Rule = fields({
  path: when(
    ({ pathType }) => pathType === "Exact" || pathType === "Prefix",
    (value, at) => {
      const path = textOf(value);
      if (!path.startsWith("/")) return [invalidValue(at, path, "must be an absolute path")];
      const found = ["//", "/./", "/../", "%2f", "%2F"].find((part) => path.includes(part));
      return found === undefined ? [] : [invalidValue(at, path, `must not contain '${found}'`)];
    },
  ),
  backend: backendRule,
});

function backendRule(value: unknown, at: string): readonly StatusCause[] {
  const { service, resource } = fieldsOf(value);
  if (service !== undefined && resource !== undefined) {
    return [invalidValue(at, "", "cannot set both resource and service backends")];
  }
  if (service === undefined) {
    return resource === undefined
      ? [invalidValue(at, "", "resource or service backend is required")]
      : fields({ kind: required(), name: required() })(resource, `${at}.resource`, {});
  }
  const { name, port } = fieldsOf(service);
  const { name: portName, number } = fieldsOf(port);
  const causes: StatusCause[] = [];
  if (isEmpty(name)) causes.push(requiredValue(`${at}.service.name`));
  else {
    const fault = labelNameFault(textOf(name));
    if (fault !== undefined) causes.push(invalidValue(`${at}.service.name`, name, fault));
  }
  if (!isEmpty(portName) && !isEmpty(number)) {
    causes.push(invalidValue(at, "", "cannot set both port name & port number"));
  } else if (isEmpty(portName) && isEmpty(number)) {
    causes.push(requiredValue(at, "port name or number is required"));
  } else if (isEmpty(portName)) {
    causes.push(...portNumber(number, `${at}.service.port.number`, {}));
  } else {
    const faults = portNameFaults(textOf(portName));
    causes.push(...faults.map((fault) => invalidValue(`${at}.service.port.name`, portName, fault)));
  }
  return causes;
}

const wildcard = /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const wildcardFault =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const hostFault = (host: string): string | undefined => {
  if (isIP(host) !== 0) return "must be a DNS name, not an IP address";
  return host.startsWith("*.") && !wildcard.test(host) ? wildcardFault : undefined;
};
const tlsFault = (host: string): string | undefined =>
  host.startsWith("*.") ? (wildcard.test(host) ? undefined : wildcardFault) : subdomainFault(host);

/** The spec of an Ingress, besides what service-rules.ts asks. */
export const ingressFormRules: Rule = fields({
  defaultBackend: optional(backendRule),
  tls: each(fields({ hosts: each(text(tlsFault)), secretName: filled(text(subdomainFault)) })),
  ingressClassName: text(subdomainFault),
  rules: each(
    fields({
      host: filled(text(hostFault)),
      http: optional(fields({ paths: each(ingressPath) })),
    }),
  ),
});

const policyPort: Rule = (value, at) => {
  const { port, endPort } = fieldsOf(value);
  const causes: StatusCause[] = [];
  if (typeof port === "number") causes.push(...portNumber(port, `${at}.port`, fieldsOf(value)));
  else if (port !== undefined) {
    causes.push(...portNameFaults(textOf(port)).map((fault) => invalidValue(`${at}.port`, port, fault)));
  }
  if (endPort === undefined) return causes;
  if (port === undefined) {
    causes.push(invalidValue(`${at}.endPort`, endPort, "may not be specified when `port` is not specified"));
  } else if (typeof port !== "number") {
    const detail = "may not be specified when `port` is non-numeric";
    causes.push(invalidValue(`${at}.endPort`, endPort, detail));
  } else {
    if (Number(endPort) < port) {
      causes.push(invalidValue(`${at}.endPort`, port, "must be greater than or equal to `port`"));
    }
    causes.push(...portNumber(endPort, `${at}.endPort`, fieldsOf(value)));
  }
  return causes;
};

const policyPeer: Rule = (value, at) => {
  const { podSelector, namespaceSelector, ipBlock } = fieldsOf(value);
  const causes: StatusCause[] = [];
  for (const [name, selector] of Object.entries({ podSelector, namespaceSelector })) {
    if (selector !== undefined) causes.push(...labelSelectorRule(selector, `${at}.${name}`, fieldsOf(value)));
  }
  const selects = podSelector !== undefined || namespaceSelector !== undefined;
  if (ipBlock !== undefined) {
    causes.push(...excepted(ipBlock, `${at}.ipBlock`));
    if (selects) causes.push(forbiddenValue(at, "may not specify both ipBlock and another peer"));
  } else if (!selects) causes.push(requiredValue(at, "must specify a peer"));
  return causes;
};

function excepted(value: unknown, at: string): readonly StatusCause[] {
  const { cidr, except } = fieldsOf(value);
  const [address = "", bits = ""] = textOf(cidr).split("/");
  if (rangeFault(textOf(cidr)) !== undefined) return [];
  const family = isIP(address) === 4 ? "ipv4" : "ipv6";
  const block = new BlockList();
  block.addSubnet(address, Number(bits), family);
  return listOf(except).flatMap((range, index) => {
    const fault = rangeFault(textOf(range));
    const field = `${at}.except[${index}]`;
    if (fault !== undefined) return [invalidValue(field, range, fault)];
    const [inner = "", innerBits = ""] = textOf(range).split("/");
    const isInside =
      isIP(inner) === isIP(address) && block.check(inner, family) && Number(innerBits) > Number(bits);
    return isInside ? [] : [invalidValue(field, range, "must be a strict subset of `cidr`")];
  });
}

const policyTypes: Rule = (value, at) => {
  const types = listOf(value);
  if (types.length > 2) return [invalidValue(at, value, "may not specify more than two policyTypes")];
  return types.flatMap((type, index) =>
    type === "Ingress" || type === "Egress"
      ? []
      : [unsupportedValue(`${at}[${index}]`, type, ["Ingress", "Egress"])],
  );
};

/** The spec of a NetworkPolicy, besides what service-rules.ts asks. */
export const networkPolicyFormRules: Rule = fields({
  podSelector: optional(labelSelectorRule),
  ingress: each(fields({ ports: each(policyPort), from: each(policyPeer) })),
  egress: each(fields({ ports: each(policyPort), to: each(policyPeer) })),
  policyTypes,
});

/** `Endpoints`, besides what service-rules.ts asks. */
export const endpointsFormRules: Rule = fields({
  subsets: each(
    (value, at) => {
      const { addresses, notReadyAddresses } = fieldsOf(value);
      const isAddressed = listOf(addresses).length > 0 || listOf(notReadyAddresses).length > 0;
      return isAddressed ? [] : [requiredValue(at, "must specify `addresses` or `notReadyAddresses`")];
    },
    fields({
      addresses: each(fields({ ip: filled(reachable) })),
      ports: (value, at) =>
        listOf(value).length < 2
          ? []
          : fieldsList(value).flatMap(({ name }, index) =>
              isEmpty(name) ? [requiredValue(`${at}[${index}].name`)] : [],
            ),
    }),
  ),
});
