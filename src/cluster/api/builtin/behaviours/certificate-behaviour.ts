// CertificateSigningRequests: who asked is what the server says, the request is settled once, and approval has an endpoint of its own.
import { equal } from "../../../../schema/json-value.ts";
import { forbiddenValue, type StatusCause } from "../../../../schema/status-cause.ts";
import { userInfo } from "../../admission/admission-attributes.ts";
import { fieldsList, fieldsOf, type ApiObject, type Fields } from "../../api-object.ts";
import type { TypeBehaviour } from "../../served-type.ts";

const decided = ["Approved", "Denied"];

/** `CertificateSigningRequest`. */
export const certificateBehaviour: TypeBehaviour = {
  setDefaults(object) {
    object["status"] ??= {};
  },
  prepare(object, previous, { user, subresource, now }) {
    if (previous === undefined) {
      const {
        uid: _uid,
        groups: _groups,
        extra: _extra,
        username: _name,
        ...spec
      } = fieldsOf(object["spec"]);
      object["spec"] = { ...spec, ...userInfo(user) };
      object["status"] = {};
      return;
    }
    object["spec"] = previous["spec"];
    if (subresource === undefined) return;
    const status = fieldsOf(object["status"]);
    const before = conditionsOf(previous);
    const conditions = conditionsOf(object).map((condition) => {
      const same = before.find(({ type }) => type === condition["type"]);
      // What was decided is not decided again beside a certificate.
      if (subresource === "status" && decided.includes(String(condition["type"]))) return same ?? condition;
      const since = same?.["status"] === condition["status"] ? same?.["lastTransitionTime"] : undefined;
      return {
        ...condition,
        lastUpdateTime: condition["lastUpdateTime"] ?? now,
        lastTransitionTime: condition["lastTransitionTime"] ?? since ?? now,
      };
    });
    object["status"] = { ...status, ...(conditions.length === 0 ? {} : { conditions }) };
  },
  validate(object, previous, subresource) {
    return previous === undefined ? [] : decisionFaults(object, previous, subresource);
  },
};

function decisionFaults(
  object: ApiObject,
  previous: ApiObject,
  subresource: string | undefined,
): StatusCause[] {
  const at = "status.conditions";
  const causes: StatusCause[] = [];
  const [next, before] = [conditionsOf(object), conditionsOf(previous)];
  const ofType = (conditions: readonly Fields[], type: string): readonly Fields[] =>
    conditions.filter((each) => each["type"] === type);
  for (const type of [...decided, "Failed"]) {
    if (ofType(next, type).length < ofType(before, type).length) {
      causes.push(forbiddenValue(at, `updates may not remove a condition of type "${type}"`));
    }
  }
  if (subresource !== "approval") {
    for (const type of decided) {
      if (ofType(next, type).length > ofType(before, type).length) {
        causes.push(forbiddenValue(at, `updates may not add a condition of type "${type}"`));
      }
    }
  }
  const [certificate, former] = [object, previous].map((each) => fieldsOf(each["status"])["certificate"]);
  if (equal(certificate, former)) return causes;
  const field = "status.certificate";
  if (subresource !== "status") {
    causes.push(forbiddenValue(field, "updates may not set certificate content"));
  } else if (former !== undefined) {
    causes.push(forbiddenValue(field, "updates may not modify existing certificate content"));
  }
  return causes;
}

function conditionsOf(object: ApiObject): Fields[] {
  return fieldsList(fieldsOf(object["status"])["conditions"]);
}
