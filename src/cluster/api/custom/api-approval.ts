// Groups below k8s.io and kubernetes.io are the community's: their definitions say where they were approved, or that they were not.
// https://github.com/kubernetes/enhancements/pull/1111
import type { NewCondition } from "../../../meta/condition.ts";
import { invalidValue, requiredValue, type StatusCause } from "../../../schema/status-cause.ts";
import { fieldsOf, textOf, type ApiObject } from "../api-object.ts";

const annotation = "api-approved.kubernetes.io";
const demand = `protected groups must have approval annotation "${annotation}"`;
const more = "see https://github.com/kubernetes/enhancements/pull/1111";

type Approval = NewCondition;

/** The condition that tells of the approval; undefined outside of those groups. */
export function approvalOf(object: ApiObject): Approval | undefined {
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(textOf(fieldsOf(object["spec"])["group"]))) return undefined;
  const given = object.metadata.annotations?.[annotation] ?? "";
  const condition = (status: "True" | "False", reason: string, message: string): Approval => ({
    type: "KubernetesAPIApprovalPolicyConformant",
    status,
    reason,
    message,
  });
  if (given === "") return condition("False", "MissingAnnotation", `${demand}, ${more}`);
  if (given.startsWith("unapproved")) {
    return condition("False", "UnapprovedAnnotation", `not approved: ${JSON.stringify(given)}`);
  }
  if (URL.canParse(given) && new URL(given).host !== "") {
    return condition("True", "ApprovedAnnotation", `approved in ${given}`);
  }
  const either = `${demand} with either a URL or a reason starting with "unapproved", ${more}`;
  return condition("False", "InvalidAnnotation", either);
}

/** What is wrong with the approval; nothing where it has not changed. */
export function approvalFaults(object: ApiObject, previous: ApiObject | undefined): StatusCause[] {
  const approval = approvalOf(object);
  if (approval === undefined) return [];
  if (previous !== undefined && approvalOf(previous)?.reason === approval.reason) return [];
  const field = `metadata.annotations[${annotation}]`;
  const given = object.metadata.annotations?.[annotation];
  switch (approval.reason) {
    case "MissingAnnotation":
      return [requiredValue(field, approval.message)];
    case "InvalidAnnotation":
      return [invalidValue(field, given, approval.message)];
    default:
      return [];
  }
}
