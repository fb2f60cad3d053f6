// What Nodes must be, and what of them is settled once.
import { equal } from "../../../../schema/json-value.ts";
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { labelValueFault, qualifiedNameFaults } from "../../../../meta/name-rules.ts";
import { fieldsOf, listOf, textOf } from "../../api-object.ts";
import { rangeFault } from "./network-form-rules.ts";
import { all, each, isEmpty, oneOf, text, type ChangeRule, type Rule } from "./rule.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

const taint: Rule = (value, at) => {
  const { key, value: given, effect } = fieldsOf(value);
  const causes: StatusCause[] = qualifiedNameFaults(textOf(key)).map((fault) =>
    invalidValue(`${at}.key`, textOf(key), fault),
  );
  const fault = labelValueFault(textOf(given));
  if (fault !== undefined) causes.push(invalidValue(`${at}.value`, given, fault));
  if (isEmpty(effect)) causes.push(requiredValue(`${at}.effect`));
  else causes.push(...oneOf(...effects)(effect, `${at}.effect`, fieldsOf(value)));
  return causes;
};

/** The ranges of the addresses of its pods, of which the former field has one. */
const podRanges: Rule = (value) => {
  const { podCIDR, podCIDRs } = fieldsOf(fieldsOf(value)["spec"]);
  const ranges = listOf(podCIDRs).length > 0 || podCIDR === undefined ? podCIDRs : [podCIDR];
  return each(text(rangeFault))(ranges, "spec.podCIDRs", fieldsOf(value));
};

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

/** `Node` of v1. */
export const nodeRules: Rule = all(taints, podRanges);

/** What identifies a node is settled once. */
export const nodeChanges: ChangeRule = ({ spec }, previous) => {
  const before = fieldsOf(previous["spec"]);
  const settled = (name: string, said: string): readonly StatusCause[] => {
    if (isEmpty(before[name]) || equal(fieldsOf(spec)[name], before[name])) return [];
    return [forbiddenValue(`spec.${name}`, `node updates may not change ${said} except from "" to valid`)];
  };
  return [...settled("podCIDRs", "podCIDR"), ...settled("providerID", "providerID")];
};
