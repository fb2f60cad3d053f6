// What Nodes must be, and what of them is settled once.
import { isIP } from "node:net";
import { equal } from "../../../../schema/json-value.ts";
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { labelValueFaults, qualifiedNameFaults } from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, listOf, textOf } from "../../api-object.ts";
import { rangeFault } from "./ip-rules.ts";
import { quantityFaults } from "./quota-rules.ts";
import { all, each, fields, isEmpty, oneOf, text, type ChangeRule, type Rule } from "./rule.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

const taint: Rule = (value, at) => {
  const { key, value: given, effect } = fieldsOf(value);
  const causes: StatusCause[] = qualifiedNameFaults(textOf(key)).map((fault) =>
    invalidValue(`${at}.key`, textOf(key), fault),
  );
  causes.push(...labelValueFaults(textOf(given)).map((fault) => invalidValue(`${at}.value`, given, fault)));
  if (isEmpty(effect)) causes.push(requiredValue(`${at}.effect`));
  else causes.push(...oneOf(...effects)(effect, `${at}.effect`, fieldsOf(value)));
  return causes;
};

/** The ranges of the addresses of its pods, of which the former field has one. */
const podRanges: Rule = (value) => {
  const { podCIDR, podCIDRs } = fieldsOf(fieldsOf(value)["spec"]);
  const ranges = listOf(podCIDRs).length > 0 || podCIDR === undefined ? podCIDRs : [podCIDR];
  const at = "spec.podCIDRs";
  const causes = each(text(rangeFault))(ranges, at, fieldsOf(value));
  const given = listOf(ranges).map(String);
  if (given.length < 2) return causes;
  const families = given.map((range) => isIP(range.split("/")[0] ?? ""));
  const isPair = given.length === 2 && families.includes(4) && families.includes(6);
  const wrong = given.findIndex((range) => rangeFault(range) !== undefined);
  return [
    ...causes,
    ...(wrong < 0 ? [] : [unreadable(at, given[wrong] ?? "", wrong)]),
    ...(isPair ? [] : [invalidValue(at, given, "may specify no more than one CIDR for each IP family")]),
  ];
};

function unreadable(at: string, range: string, index: number): StatusCause {
  const said = `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${index}]: <nil> (invalid CIDR address: ${range})`;
  return { reason: "InternalError", message: `Internal error: ${said}`, field: at };
}

/** The real server names the taints as if they were in the metadata. */
const taints: Rule = (value) => {
  const at = "metadata.taints";
  const { taints: given } = fieldsOf(fieldsOf(value)["spec"]);
  const known = new Set<string>();
  return each((item, path, parent) => {
    const { key, value: label = "", effect, timeAdded = null } = fieldsOf(item);
    const identity = JSON.stringify([key, effect]);
    const causes = taint(item, path, parent);
    if (!known.has(identity)) {
      known.add(identity);
      return causes;
    }
    const shown = JSON.stringify({ Key: key, Value: label, Effect: effect, TimeAdded: timeAdded });
    const message = `Duplicate value: ${shown}: taints must be unique by key and effect pair`;
    return [...causes, { reason: "FieldValueDuplicate", message, field: path }];
  })(given, at, fieldsOf(value));
};

/** What a node has, and has to give: none of it is below zero, and some comes in whole pieces. */
const amounts: Rule = (value, at) =>
  Object.entries(fieldsOf(value)).flatMap(([name, amount]) =>
    // The real server puts the name behind a dot.
    quantityFaults(name, amount, `${at}.${name}`),
  );

const feature = /^[A-Z][A-Za-z0-9]*(?:\/[A-Za-z][A-Za-z0-9]*)*$/;
const longestFeature = 253;

/** What a node says it can do: each once, and sorted. */
const declaredFeatures: Rule = (value, at) => {
  const names = listOf(value).map(String);
  return names.flatMap((name, index): readonly StatusCause[] => {
    const field = `${at}[${index}]`;
    const said = `invalid feature name ${JSON.stringify(name)}`;
    const form =
      "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
    const fault =
      name.length > longestFeature
        ? `${said}: must be no more than ${longestFeature} characters`
        : feature.test(name)
          ? undefined
          : `${said}: ${form}`;
    const before = names[index - 1];
    return [
      ...(fault === undefined ? [] : [invalidValue(field, name, fault)]),
      ...(before === name ? [duplicateValue(field, name)] : []),
      ...(before !== undefined && before > name
        ? [invalidValue(field, name, "list must be sorted alphabetically")]
        : []),
    ];
  });
};

/** What a node tells of itself. */
const toldOfNodes: Rule = fields({
  status: fields({ capacity: amounts, allocatable: amounts, declaredFeatures }),
});

const onceEach: Rule = (value, at) => {
  const known = new Set<string>();
  return fieldsList(value).flatMap(({ type = "", address = "" }, index) => {
    const shown = JSON.stringify({ Type: type, Address: address });
    const isKnown = known.has(shown);
    known.add(shown);
    return isKnown
      ? [
          {
            reason: "FieldValueDuplicate" as const,
            message: `Duplicate value: ${shown}`,
            field: `${at}[${index}]`,
          },
        ]
      : [];
  });
};

/** `Node` of v1. */
export const nodeRules: Rule = all(taints, toldOfNodes, podRanges);

/** The status of a `Node`. */
export const nodeStatusRules: Rule = all(
  toldOfNodes,
  fields({ status: fields({ addresses: onceEach }) }),
  taints,
);

/** What identifies a node is settled once. */
export const nodeChanges: ChangeRule = (object, previous) => {
  const spec = fieldsOf(object["spec"]);
  const before = fieldsOf(previous["spec"]);
  const settled = (name: string, said: string): readonly StatusCause[] => {
    if (isEmpty(before[name]) || equal(spec[name], before[name])) return [];
    return [forbiddenValue(`spec.${name}`, `node updates may not change ${said} except from "" to valid`)];
  };
  const isNamedOtherwise = textOf(spec["externalID"]) !== textOf(before["externalID"]);
  return [
    // The real server looks at the rest of a changed node twice.
    ...nodeStatusRules(object, "", object),
    ...settled("podCIDRs", "podCIDR"),
    ...settled("providerID", "providerID"),
    ...(isNamedOtherwise ? [forbiddenValue("spec.externalID", "may not be updated")] : []),
  ];
};
