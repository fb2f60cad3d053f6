// What NetworkPolicies must be: who may reach whom, and at which ports.
import { BlockList, isIP } from "node:net";
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { fieldsOf, listOf, textOf } from "../../api-object.ts";
import { rangeFault } from "./ip-rules.ts";
import { portNameFaults } from "./port-rules.ts";
import { all, each, fields, filled, oneOf, optional, portNumber, required, text, type Rule } from "./rule.ts";
import { labelSelectorRule } from "./webhook-rules.ts";

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
  const { podSelector, namespaceSelector, ipBlock: block } = fieldsOf(value);
  const causes: StatusCause[] = [];
  for (const [name, selector] of Object.entries({ podSelector, namespaceSelector })) {
    if (selector !== undefined) causes.push(...labelSelectorRule(selector, `${at}.${name}`, fieldsOf(value)));
  }
  const selects = podSelector !== undefined || namespaceSelector !== undefined;
  if (block !== undefined) {
    causes.push(...excepted(block, `${at}.ipBlock`));
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

const ports = each(fields({ protocol: optional(oneOf("TCP", "UDP", "SCTP")) }), policyPort);
const ipBlock = optional(fields({ cidr: all(required(), filled(text(rangeFault))) }));
const peers = each(fields({ ipBlock }), policyPeer);

/** `NetworkPolicy` of networking.k8s.io/v1. */
export const networkPolicyRules: Rule = fields({
  spec: fields({
    podSelector: optional(labelSelectorRule),
    ingress: each(fields({ ports, from: peers })),
    egress: each(fields({ ports, to: peers })),
    policyTypes,
  }),
});
