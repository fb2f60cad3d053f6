// What conditions must be that have the form of all kinds: a type that is there once, a status, a reason, and since when.
import {
  duplicateValue,
  invalidValue,
  requiredValue,
  tooLong,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { qualifiedNameFaults } from "../../../../meta/name-rules.ts";
import { fieldsList, textOf, type Fields } from "../../api-object.ts";
import { isEmpty, type Rule } from "./rule.ts";

const statuses = ["False", "True", "Unknown"];
const longestReason = 1_024;
const longestMessage = 32_768;
const reasonPattern = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const isReason = new RegExp(`^${reasonPattern}$`);

function conditionFaults(condition: Fields, at: string): readonly StatusCause[] {
  const { type, status = "", observedGeneration, lastTransitionTime, reason, message } = condition;
  const causes: StatusCause[] = qualifiedNameFaults(textOf(type)).map((fault) =>
    invalidValue(`${at}.type`, textOf(type), fault),
  );
  if (!statuses.includes(textOf(status))) causes.push(unsupportedValue(`${at}.status`, status, statuses));
  if (Number(observedGeneration ?? 0) < 0) {
    const detail = "must be greater than or equal to zero";
    causes.push(invalidValue(`${at}.observedGeneration`, observedGeneration, detail));
  }
  if (isEmpty(lastTransitionTime)) causes.push(requiredValue(`${at}.lastTransitionTime`));
  const said = textOf(reason);
  if (said === "") causes.push(requiredValue(`${at}.reason`));
  else {
    if (!isReason.test(said)) {
      const detail = `a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '${reasonPattern}')`;
      causes.push(invalidValue(`${at}.reason`, said, detail));
    }
    if (said.length > longestReason) causes.push(tooLong(`${at}.reason`, longestReason));
  }
  if (textOf(message).length > longestMessage) causes.push(tooLong(`${at}.message`, longestMessage));
  return causes;
}

/** A list of conditions. */
export const conditionsRule: Rule = (value, at) => {
  const types = new Set<unknown>();
  return fieldsList(value).flatMap((condition, index): readonly StatusCause[] => {
    const isTwice = types.has(condition["type"]);
    types.add(condition["type"]);
    return [
      ...(isTwice ? [duplicateValue(`${at}[${index}].type`, condition["type"])] : []),
      ...conditionFaults(condition, `${at}[${index}]`),
    ];
  });
};
