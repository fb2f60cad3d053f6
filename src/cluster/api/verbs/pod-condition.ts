// What the server itself says in the status of a pod.
import { timestampOf, type ApiCore } from "../api-core.ts";
import { fieldsList, fieldsOf, type Fields } from "../api-object.ts";

/** A status with a condition, in the place of the one of its type; its time stays where only the words change. */
export function withPodCondition(core: ApiCore, status: Fields, condition: Fields): Fields {
  const conditions = fieldsList(fieldsOf(status)["conditions"]);
  const index = conditions.findIndex(({ type }) => type === condition["type"]);
  const before = conditions[index];
  const isOther = before === undefined || before["status"] !== condition["status"];
  const lastTransitionTime = isOther ? timestampOf(core) : before["lastTransitionTime"];
  const next = { lastProbeTime: null, ...condition, lastTransitionTime };
  return {
    ...status,
    conditions: before === undefined ? [...conditions, next] : conditions.with(index, next),
  };
}
