// What Nodes must be, and what of them is settled once.
import { equal } from "../../../../schema/json-value.ts";
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { labelValueFault, qualifiedNameFaults } from "../../../../meta/name-rules.ts";
import { fieldsOf, textOf } from "../../api-object.ts";
import { each, isEmpty, oneOf, type ChangeRule, type Rule } from "./rule.ts";

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

/** `Node` of v1; the real server names its taints as if they were in the metadata. */
export const nodeRules: Rule = (value) => {
  const at = "metadata.taints";
  const { taints } = fieldsOf(fieldsOf(value)["spec"]);
  const known = new Set<string>();
  return each((item, path, parent) => {
    const { key, value: given = "", effect, timeAdded = null } = fieldsOf(item);
    const identity = JSON.stringify([key, effect]);
    const causes = taint(item, path, parent);
    if (!known.has(identity)) {
      known.add(identity);
      return causes;
    }
    const shown = JSON.stringify({ Key: key, Value: given, Effect: effect, TimeAdded: timeAdded });
    const message = `Duplicate value: ${shown}: taints must be unique by key and effect pair`;
    return [...causes, { reason: "FieldValueDuplicate", message, field: path }];
  })(taints, at, fieldsOf(value));
};

/** What identifies a node is settled once. */
export const nodeChanges: ChangeRule = ({ spec }, previous) => {
  const before = fieldsOf(previous["spec"]);
  const settled = (name: string, said: string): readonly StatusCause[] => {
    if (isEmpty(before[name]) || equal(fieldsOf(spec)[name], before[name])) return [];
    return [forbiddenValue(`spec.${name}`, `node updates may not change ${said} except from "" to valid`)];
  };
  return [...settled("podCIDRs", "podCIDR"), ...settled("providerID", "providerID")];
};
