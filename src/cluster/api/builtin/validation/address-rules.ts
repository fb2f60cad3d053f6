// What the ranges and addresses of Services must be.
import { isIP } from "node:net";
import { equal } from "../../../../schema/json-value.ts";
import { invalidValue, requiredValue, type StatusCause } from "../../../../schema/status-cause.ts";
import { pathSegmentFaults, subdomainFaults } from "../../../../meta/name-rules.ts";
import { fieldsOf, isFields, listOf, textOf } from "../../api-object.ts";
import { isSentEmpty } from "../../sent-empty.ts";
import { goForm } from "../go-form.ts";
import { canonical, ipFault, rangeFault } from "./ip-rules.ts";
import { all, fields, filled, invalidStruct, required, text, type ChangeRule, type Rule } from "./rule.ts";

const familyOf = (range: unknown): number => isIP(textOf(range).split("/")[0] ?? "");

const ranges: Rule = (value, at) => {
  const items = listOf(value);
  if (items.length === 0) return [requiredValue(at, "at least one CIDR required")];
  if (items.length > 2) return [invalidStruct(at, { CIDRs: items }, "may only hold up to 2 values")];
  const causes: StatusCause[] = items.flatMap((range, index) => {
    const fault = rangeFault(textOf(range));
    return fault === undefined ? [] : [invalidValue(`${at}[${index}]`, range, fault)];
  });
  const [first, second] = items;
  if (items.length === 2 && familyOf(first) === familyOf(second) && familyOf(first) !== 0) {
    const detail = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
    causes.push(invalidValue(at, items, detail));
  }
  return causes;
};

/** A new `ServiceCIDR`. */
export const serviceRangeRules: Rule = fields({ spec: fields({ cidrs: ranges }) });

/** Ranges stay; one of the other family may be added. */
export const serviceRangeChanges: ChangeRule = (object, previous) => {
  const now = listOf(fieldsOf(object["spec"])["cidrs"]);
  const before = listOf(fieldsOf(previous["spec"])["cidrs"]);
  const changed = before.flatMap((range, index) =>
    now[index] === range ? [] : [invalidValue(`spec.cidrs[${index}]`, now[index], "field is immutable")],
  );
  if (now.length === before.length) return changed;
  if (before.length === 1 && now.length === 2) return [...changed, ...ranges(now, "spec.cidrs", {})];
  const isNone = now.length === 0 && !isSentEmpty(fieldsOf(object["spec"]), "cidrs");
  return [invalidValue("spec.cidrs", isNone ? null : now, "field is immutable")];
};

/** The name of an `IPAddress` is the address. */
const addressName: Rule = (value, at) => {
  const name = textOf(value);
  const fault = ipFault(name);
  if (fault !== undefined) return [invalidValue(at, name, fault)];
  if (canonical(name) === name) return [];
  return [invalidValue(at, name, `must be in canonical form ("${canonical(name)}")`)];
};

const segment: Rule = filled(text(pathSegmentFaults));

/** `IPAddress`. */
export const addressRules: Rule = fields({
  spec: fields({
    parentRef: (value, at, parent) =>
      value === undefined
        ? [requiredValue(at)]
        : fields({
            group: filled(text(subdomainFaults)),
            resource: all(required(), segment),
            name: all(required(), segment),
            namespace: segment,
          })(value, at, parent),
  }),
});

/** What a new `IPAddress` must be besides. */
export const newAddressRules: Rule = fields({ metadata: fields({ name: addressName }) });

/** Whose an address is, is settled once. */
export const addressChanges: ChangeRule = ({ spec }, previous) => {
  const [now, before] = [fieldsOf(spec)["parentRef"], fieldsOf(previous["spec"])["parentRef"]];
  if (equal(now, before)) return [];
  const shown = isFields(now) ? goForm("io.k8s.api.networking.v1.ParentReference", now) : null;
  return [
    shown === null
      ? invalidValue("spec.parentRef", null, "field is immutable")
      : invalidStruct("spec.parentRef", shown, "field is immutable"),
  ];
};
