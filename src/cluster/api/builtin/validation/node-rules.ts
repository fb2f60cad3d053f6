// What Nodes and PersistentVolumes must be, and what of them is settled once.
import { equal } from "../../../../schema/json-value.ts";
import { parseQuantity } from "../../../../schema/cel/quantity.ts";
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { labelValueFault, qualifiedNameFaults, subdomainFault } from "../../../../meta/name-rules.ts";
import { fieldsOf, isFields, listOf, textOf } from "../../api-object.ts";
import { filled } from "./pod-form-rules.ts";
import { all, each, fields, isEmpty, oneOf, optional, text, type ChangeRule, type Rule } from "./rule.ts";

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
export const nodeRules: Rule = (value, _at, parent) =>
  each(taint)(fieldsOf(fieldsOf(value)["spec"])["taints"], "metadata.taints", parent);

/** What identifies a node is settled once. */
export const nodeChanges: ChangeRule = ({ spec }, previous) => {
  const before = fieldsOf(previous["spec"]);
  const settled = (name: string, said: string): readonly StatusCause[] => {
    if (isEmpty(before[name]) || equal(fieldsOf(spec)[name], before[name])) return [];
    return [forbiddenValue(`spec.${name}`, `node updates may not change ${said} except from "" to valid`)];
  };
  return [...settled("podCIDRs", "podCIDR"), ...settled("providerID", "providerID")];
};

const modes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

const capacity: Rule = (value, at) => {
  const names = Object.keys(fieldsOf(value));
  const causes: StatusCause[] = names.length === 0 ? [requiredValue(at)] : [];
  if (names.length !== 1 || names[0] !== "storage") {
    causes.push(unsupportedValue(at, isFields(value) ? value : null, ["storage"]));
    return causes;
  }
  const { storage } = fieldsOf(value);
  const quantity = parseQuantity(textOf(storage));
  if (quantity !== undefined && quantity.nano <= 0n) {
    causes.push(invalidValue(`${at}[storage]`, storage, "must be greater than zero"));
  }
  return causes;
};

const accessModes: Rule = (value, at, parent) => {
  const given = listOf(value);
  if (given.length === 0) return [requiredValue(at)];
  const unknown = given.flatMap((mode) => oneOf(...modes)(mode, at, parent));
  return given.length > 1 && given.includes("ReadWriteOncePod")
    ? [...unknown, forbiddenValue(at, "may not use ReadWriteOncePod with other access modes")]
    : unknown;
};

/** `PersistentVolume` of v1. */
export const volumeRules: Rule = fields({
  spec: all(
    fields({
      accessModes,
      capacity,
      persistentVolumeReclaimPolicy: filled(oneOf("Delete", "Recycle", "Retain")),
      storageClassName: filled(text(subdomainFault)),
      volumeMode: optional(oneOf("Block", "Filesystem")),
    }),
  ),
});
