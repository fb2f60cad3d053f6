// The types of all groups besides the core, apps and batch ones.
import { groupedEventBehaviour } from "../behaviours/core-behaviours.ts";
import * as policy from "../behaviours/policy-behaviours.ts";
import { bindingChanges, bindingRules, budgetRules, roleRules } from "../validation/policy-rules.ts";
import { ingressRules, networkPolicyRules, sliceRules } from "../validation/service-rules.ts";
import { webhookConfigurationRules } from "../validation/webhook-rules.ts";
import type { Row, RowGroup } from "./row.ts";

const extensions = ["api-extensions"];
const clusterScoped = true;
const review = true;

const rbacRows: readonly Row[] = [
  { kind: "Role", plural: "roles", behaviour: policy.roleBehaviour, rules: roleRules },
  {
    kind: "RoleBinding",
    plural: "rolebindings",
    behaviour: policy.bindingBehaviour,
    rules: bindingRules("Role", "ClusterRole"),
    changes: bindingChanges,
  },
  {
    kind: "ClusterRole",
    plural: "clusterroles",
    clusterScoped,
    behaviour: policy.roleBehaviour,
    rules: roleRules,
  },
  {
    kind: "ClusterRoleBinding",
    plural: "clusterrolebindings",
    clusterScoped,
    behaviour: policy.bindingBehaviour,
    rules: bindingRules("ClusterRole"),
    changes: bindingChanges,
  },
];

const networkingRows: readonly Row[] = [
  {
    kind: "Ingress",
    plural: "ingresses",
    shortNames: ["ing"],
    hasStatus: true,
    behaviour: policy.ingressBehaviour,
    rules: ingressRules,
  },
  {
    kind: "NetworkPolicy",
    plural: "networkpolicies",
    shortNames: ["netpol"],
    behaviour: policy.networkPolicyBehaviour,
    rules: networkPolicyRules,
  },
];

const webhookRows: readonly Row[] = [
  {
    kind: "ValidatingWebhookConfiguration",
    plural: "validatingwebhookconfigurations",
    clusterScoped,
    categories: extensions,
    behaviour: policy.createWebhookBehaviour(false),
    rules: webhookConfigurationRules,
  },
  {
    kind: "MutatingWebhookConfiguration",
    plural: "mutatingwebhookconfigurations",
    clusterScoped,
    categories: extensions,
    behaviour: policy.createWebhookBehaviour(true),
    rules: webhookConfigurationRules,
  },
];

const budgetRow: Row = {
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  shortNames: ["pdb"],
  hasStatus: true,
  behaviour: policy.budgetBehaviour,
  rules: budgetRules,
};

const eventRow: Row = {
  kind: "Event",
  plural: "events",
  shortNames: ["ev"],
  selectableFields: ["regarding.kind", "regarding.namespace", "regarding.name", "reason", "type"],
  behaviour: groupedEventBehaviour,
};

const accessReviewRows: readonly Row[] = [
  { kind: "SelfSubjectAccessReview", plural: "selfsubjectaccessreviews", clusterScoped, review },
  { kind: "LocalSubjectAccessReview", plural: "localsubjectaccessreviews", review },
  { kind: "SubjectAccessReview", plural: "subjectaccessreviews", clusterScoped, review },
];

/** The other groups. */
export const otherGroups: readonly RowGroup[] = [
  group("admissionregistration.k8s.io", "admissionregistration", webhookRows),
  group("authentication.k8s.io", "authentication", [
    { kind: "SelfSubjectReview", plural: "selfsubjectreviews", clusterScoped, review },
    { kind: "TokenReview", plural: "tokenreviews", clusterScoped, review },
  ]),
  group("authorization.k8s.io", "authorization", accessReviewRows),
  group("coordination.k8s.io", "coordination", [
    { kind: "Lease", plural: "leases", behaviour: policy.leaseBehaviour },
  ]),
  group("discovery.k8s.io", "discovery", [
    { kind: "EndpointSlice", plural: "endpointslices", behaviour: policy.sliceBehaviour, rules: sliceRules },
  ]),
  group("events.k8s.io", "events", [eventRow]),
  group("networking.k8s.io", "networking", networkingRows),
  group("policy", "policy", [budgetRow]),
  group("rbac.authorization.k8s.io", "rbac", rbacRows),
];

function group(name: string, packageName: string, rows: readonly Row[]): RowGroup {
  return { group: name, version: "v1", packageName: `io.k8s.api.${packageName}.v1`, rows };
}
