// What a RuntimeClass must be: the handler of a node's container runtime, and where pods of it can run.
import { invalidValue, requiredValue, type StatusCause } from "../../../../schema/status-cause.ts";
import { labelNameFaults } from "../../../../meta/name-rules.ts";
import { fieldsOf, listOf, textOf } from "../../api-object.ts";
import { labelsRule } from "./label-rules.ts";
import { tolerationRule } from "./pod-form-rules.ts";
import { overheadRule } from "./resource-rules.ts";
import { duplicateStruct, each, fields, optional, type ChangeRule, type Rule } from "./rule.ts";

const tolerations: Rule = (value, at, parent) => {
  const seen = new Set<string>();
  const field = at.replace(/\.tolerations$/, "");
  return [
    ...each(tolerationRule)(value, at, parent),
    ...listOf(value).flatMap((item, index): readonly StatusCause[] => {
      const { key = "", operator = "", value: given = "", effect = "", tolerationSeconds } = fieldsOf(item);
      const same = JSON.stringify([key, operator, given, effect]);
      const isTwice = seen.has(same);
      seen.add(same);
      const shown = { Key: key, Operator: operator, Value: given, Effect: effect };
      const struct = { ...shown, TolerationSeconds: tolerationSeconds ?? null };
      return isTwice ? [duplicateStruct(`${field}.tolerations[${index}]`, struct)] : [];
    }),
  ];
};

/** `RuntimeClass`. */
export const runtimeClassRules: Rule = fields({
  handler: (value, at) => {
    if (textOf(value) === "") return [requiredValue(at)];
    return labelNameFaults(textOf(value)).map((fault) => invalidValue(at, value, fault));
  },
  overhead: optional((value, at, parent) => overheadRule(fieldsOf(value)["podFixed"], at, parent)),
  scheduling: optional(fields({ nodeSelector: labelsRule, tolerations })),
});

/** The handler of a class is settled once. */
export const runtimeClassChanges: ChangeRule = ({ handler }, previous) =>
  handler === previous["handler"] ? [] : [invalidValue("handler", handler ?? "", "field is immutable")];
