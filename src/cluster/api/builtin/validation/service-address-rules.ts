// The addresses of Services: how their fields go together, and what of them stays once it is there.
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { fieldsOf, listOf, textOf, type Fields } from "../../api-object.ts";
import { familyOf, ipFault } from "./ip-rules.ts";
import type { ChangeRule, Rule } from "./rule.ts";

const families = ["IPv4", "IPv6"];
const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const at = { ips: "spec.clusterIPs", families: "spec.ipFamilies", policy: "spec.ipFamilyPolicy" } as const;

/** Whether a Service is known by the addresses behind it alone. */
export function isHeadless({ clusterIPs }: Fields): boolean {
  const [first, ...others] = listOf(clusterIPs);
  return first === "None" && others.length === 0;
}

/** Whether it says the same of its addresses as before. */
export function hasSameAddresses(spec: Fields, before: Fields): boolean {
  const said = ({ clusterIP, clusterIPs }: Fields): string => JSON.stringify([clusterIP, listOf(clusterIPs)]);
  return said(spec) === said(before);
}

/** The one address beside the list of all of them. */
function syncFaults({ clusterIP }: Fields, ips: readonly string[]): readonly StatusCause[] {
  if (textOf(clusterIP) === "") {
    const detail = "must be empty when `clusterIP` is not specified";
    return ips.length === 0 ? [] : [invalidValue(at.ips, ips, detail)];
  }
  if (ips.length === 0) return [requiredValue(at.ips)];
  return ips[0] === clusterIP ? [] : [invalidValue(at.ips, ips, "first value must match `clusterIP`")];
}

function familyFaults({ ipFamilies, ipFamilyPolicy }: Fields): readonly StatusCause[] {
  const given = listOf(ipFamilies).map(String);
  const causes = given.flatMap((family, index) => [
    ...(families.includes(family) ? [] : [unsupportedValue(`${at.families}[${index}]`, family, families)]),
    ...(given.indexOf(family) < index ? [duplicateValue(`${at.families}[${index}]`, family)] : []),
  ]);
  const isPolicy = ipFamilyPolicy === undefined || policies.includes(textOf(ipFamilyPolicy));
  return isPolicy ? causes : [...causes, unsupportedValue(at.policy, ipFamilyPolicy, policies)];
}

function addressFaults(ips: readonly string[]): readonly StatusCause[] {
  return ips.flatMap((ip, index): readonly StatusCause[] => {
    if (index === 0 && ip === "None") {
      const detail = "'None' must be the first and only value";
      return ips.length > 1 ? [invalidValue(at.ips, ips, detail)] : [];
    }
    const fault = ipFault(ip);
    return fault === undefined ? [] : [invalidValue(`${at.ips}[${index}]`, ip, fault)];
  });
}

/** Several addresses are of several families, and of those that are named. */
function stackFaults(spec: Fields, ips: readonly string[]): readonly StatusCause[] {
  const isMixed = new Set(ips.map(familyOf)).size > 1;
  const causes =
    ips.length > 1 && !isMixed
      ? [invalidValue(at.ips, ips, "may specify no more than one IP for each IP family")]
      : [];
  if (isHeadless(spec)) return causes;
  const named = listOf(spec["ipFamilies"]);
  const others = ips.flatMap((ip, index) => {
    const family = named[index];
    const isOther = typeof family === "string" && families.includes(family) && familyOf(ip) !== family;
    const article = `expected an ${textOf(family)} value as indicated by \`ipFamilies[${index}]\``;
    return isOther ? [invalidValue(`${at.ips}[${index}]`, ip, article)] : [];
  });
  return [...causes, ...others];
}

/** What is wrong with the addresses of a Service, and with what it says of their families. */
export function clusterAddressFaults(spec: Fields): readonly StatusCause[] {
  if (spec["type"] === "ExternalName") return [];
  const ips = listOf(spec["clusterIPs"]).map(String);
  const wrong = addressFaults(ips);
  const many = ips.length > 2 ? [invalidValue(at.ips, ips, "may only hold up to 2 values")] : [];
  return [
    ...syncFaults(spec, ips),
    ...familyFaults(spec),
    ...wrong,
    ...many,
    ...(wrong.length > 0 ? [] : stackFaults(spec, ips)),
  ];
}

/** A name has no addresses, and one that has ports on the nodes has some. */
const addressesOfType: Rule = (value) => {
  const { type, clusterIPs, ipFamilies, ipFamilyPolicy } = fieldsOf(value);
  const [first] = listOf(clusterIPs);
  if (type === "ExternalName") {
    const given = Object.entries({ clusterIPs: first, ipFamilies: listOf(ipFamilies)[0], ipFamilyPolicy });
    return given
      .filter(([, each_]) => each_ !== undefined)
      .map(([name]) => forbiddenValue(`spec.${name}`, "may not be set for ExternalName services"));
  }
  const isBeyond = type === "LoadBalancer" || type === "NodePort";
  return first === "None" && isBeyond
    ? [invalidValue(`${at.ips}[0]`, first, `may not be set to 'None' for ${type} services`)]
    : [];
};

/** The addresses in the spec of a Service. */
export const serviceAddressRules: Rule = (value, path, parent) => [
  ...addressesOfType(value, path, parent),
  ...clusterAddressFaults(fieldsOf(value)),
];

const settled = "may not change once set";

/** Whether one of two is only a name. */
function isNamed(spec: Fields, before: Fields): boolean {
  return spec["type"] === "ExternalName" || before["type"] === "ExternalName";
}

function addressChanges(spec: Fields, before: Fields): readonly StatusCause[] {
  if (isNamed(spec, before) || (isHeadless(spec) && isHeadless(before))) return [];
  const [ips, old] = [listOf(spec["clusterIPs"]), listOf(before["clusterIPs"])];
  if (ips.length === old.length) {
    return old.flatMap((ip, index) =>
      ip === ips[index] ? [] : [invalidValue(`${at.ips}[${index}]`, ips, settled)],
    );
  }
  const first = `${at.ips}[0]`;
  if (ips.length === 0) return [invalidValue(first, null, "primary clusterIP can not be unset")];
  const isOther = old.length > 0 && ips[0] !== old[0];
  const policy = spec["ipFamilyPolicy"];
  const isKept = ips.length !== 1 || ips.length > old.length || policy === "SingleStack";
  const detail = "must be set to 'SingleStack' when releasing the secondary clusterIP";
  return [
    ...(isOther ? [invalidValue(first, ips, settled)] : []),
    ...(isKept ? [] : [invalidValue(at.policy, policy ?? null, detail)]),
  ];
}

function familyChanges(spec: Fields, before: Fields): readonly StatusCause[] {
  if (isNamed(spec, before) || isHeadless(spec) || isHeadless(before)) return [];
  const [now, old] = [listOf(spec["ipFamilies"]), listOf(before["ipFamilies"])];
  const first = `${at.families}[0]`;
  if (now.length === old.length) {
    // The real server names the first one, whichever it is.
    return old.flatMap((family, index) => (family === now[index] ? [] : [invalidValue(first, now, settled)]));
  }
  const isOther = now.length > 0 && old.length > 0 && now[0] !== old[0];
  const policy = spec["ipFamilyPolicy"];
  const isReleased = now.length === 1 && old.length > 1 && policy !== "SingleStack";
  const detail = "must be set to 'SingleStack' when releasing the secondary ipFamily";
  return [
    ...(isOther ? [invalidValue(first, spec["clusterIPs"] ?? null, settled)] : []),
    ...(isReleased ? [invalidValue(at.policy, policy ?? null, detail)] : []),
  ];
}

/** What of the addresses of a Service stays. */
export const serviceAddressChanges: ChangeRule = (object, previous) => {
  const [spec, before] = [fieldsOf(object["spec"]), fieldsOf(previous["spec"])];
  return [...addressChanges(spec, before), ...familyChanges(spec, before)];
};
