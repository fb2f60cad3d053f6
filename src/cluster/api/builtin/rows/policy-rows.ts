// The types of all groups besides the core, apps and batch ones.
import { groupedEventFields, selectable } from "../../selectors/selectable-fields.ts";
import { ensureFields } from "../../api-object.ts";
import { groupedEventBehaviour } from "../behaviours/core-behaviours.ts";
import { certificateBehaviour } from "../behaviours/certificate-behaviour.ts";
import * as classes from "../behaviours/class-behaviours.ts";
import * as policy from "../behaviours/policy-behaviours.ts";
import { groupedEventChanges, groupedEventRules, newGroupedEventRules } from "../validation/event-rules.ts";
import { fromEventsGroup, toEventsGroup } from "../event-conversion.ts";
import { admissionPolicyRules, policyBindingRules } from "../validation/admission-policy-rules.ts";
import { certificateRules } from "../validation/certificate-rules.ts";
import * as classRules from "../validation/class-rules.ts";
import {
  aggregationRules,
  bindingChanges,
  bindingRules,
  budgetRules,
  roleRules,
} from "../validation/policy-rules.ts";
import { ingressRules, newIngressRules } from "../validation/ingress-rules.ts";
import { ofPods } from "../pod-addresses.ts";
import { networkPolicyRules } from "../validation/network-policy-rules.ts";
import { changedSliceRules, sliceChanges, sliceRules } from "../validation/slice-rules.ts";
import { mutatingBindingRules, mutatingPolicyRules } from "../validation/mutating-policy-rules.ts";
import { accessRules, localAccessRules, ownAccessRules } from "../validation/review-rules.ts";
import { leaseRules } from "../validation/workload-form-rules.ts";
import { webhookConfigurationRules } from "../validation/webhook-rules.ts";
import {
  addressChanges,
  addressRules,
  newAddressRules,
  serviceRangeChanges,
  serviceRangeRules,
} from "../validation/address-rules.ts";
import {
  admissionPolicyStatusRules,
  budgetStatusRules,
  ingressStatusRules,
} from "../validation/status-rules.ts";
import { all } from "../validation/rule.ts";
import { deviceRows, flowRows, nodeRows, storageRows } from "./infrastructure-rows.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import type { Row, RowGroup } from "./row.ts";

const extensions = ["api-extensions"];
const clusterScoped = true;
const review = true;

const rbacRows: readonly Row[] = [
  { kind: "Role", plural: "roles", behaviour: policy.roleBehaviour, rules: roleRules(true) },
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
    rules: all(roleRules(false), aggregationRules),
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
    rulesOfNew: newIngressRules,
    statusRules: ingressStatusRules,
  },
  {
    kind: "NetworkPolicy",
    plural: "networkpolicies",
    shortNames: ["netpol"],
    behaviour: policy.networkPolicyBehaviour,
    rules: networkPolicyRules,
  },
  {
    kind: "IngressClass",
    plural: "ingressclasses",
    clusterScoped,
    behaviour: classes.ingressClassBehaviour,
    rules: classRules.ingressClassRules,
    changes: classRules.ingressClassChanges,
  },
  {
    kind: "ServiceCIDR",
    plural: "servicecidrs",
    clusterScoped,
    hasStatus: true,
    behaviour: { setDefaults: (object) => void ensureFields(object, "status") },
    rulesOfNew: serviceRangeRules,
    changes: serviceRangeChanges,
  },
  {
    kind: "IPAddress",
    plural: "ipaddresses",
    shortNames: ["ip"],
    clusterScoped,
    rules: addressRules,
    rulesOfNew: newAddressRules,
    changes: addressChanges,
  },
];

const certificateRow: Row = {
  kind: "CertificateSigningRequest",
  plural: "certificatesigningrequests",
  shortNames: ["csr"],
  clusterScoped,
  hasStatus: true,
  selectable: selectable(["spec.signerName"]),
  otherSubresources: [
    { name: "approval", kind: "CertificateSigningRequest", verbs: ["get", "patch", "update"] },
  ],
  behaviour: certificateBehaviour,
  rules: certificateRules,
  // Of a status, the whole is looked at.
  statusRules: certificateRules,
};

const priorityClassRow: Row = {
  kind: "PriorityClass",
  plural: "priorityclasses",
  shortNames: ["pc"],
  clusterScoped,
  behaviour: classes.priorityClassBehaviour,
  rulesOfNew: classRules.priorityClassRules,
  changes: classRules.priorityClassChanges,
};

const apiServiceRow: Row = {
  kind: "APIService",
  plural: "apiservices",
  categories: extensions,
  clusterScoped,
  hasStatus: true,
  behaviour: classes.apiServiceBehaviour,
  rules: classRules.apiServiceRules,
  statusRules: classRules.apiServiceStatusRules,
};

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

const policyRows: readonly Row[] = [
  {
    kind: "MutatingAdmissionPolicy",
    plural: "mutatingadmissionpolicies",
    clusterScoped,
    categories: extensions,
    behaviour: policy.mutatingPolicyBehaviour,
    rules: mutatingPolicyRules,
  },
  {
    kind: "MutatingAdmissionPolicyBinding",
    plural: "mutatingadmissionpolicybindings",
    clusterScoped,
    categories: extensions,
    behaviour: policy.policyBindingBehaviour,
    rules: mutatingBindingRules,
  },
  {
    kind: "ValidatingAdmissionPolicy",
    plural: "validatingadmissionpolicies",
    clusterScoped,
    categories: extensions,
    hasStatus: true,
    behaviour: policy.admissionPolicyBehaviour,
    rules: admissionPolicyRules,
    statusRules: admissionPolicyStatusRules,
  },
  {
    kind: "ValidatingAdmissionPolicyBinding",
    plural: "validatingadmissionpolicybindings",
    clusterScoped,
    categories: extensions,
    behaviour: policy.policyBindingBehaviour,
    rules: policyBindingRules,
  },
];

const budgetRow: Row = {
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  shortNames: ["pdb"],
  hasStatus: true,
  behaviour: policy.budgetBehaviour,
  rules: budgetRules,
  statusRules: budgetStatusRules,
};

const eventRow: Row = {
  kind: "Event",
  plural: "events",
  shortNames: ["ev"],
  selectable: groupedEventFields,
  behaviour: groupedEventBehaviour,
  rules: groupedEventRules,
  rulesOfNew: newGroupedEventRules,
  changes: groupedEventChanges,
  stored: { fromStorage: toEventsGroup, toStorage: fromEventsGroup },
};

const accessReviewRows: readonly Row[] = [
  {
    kind: "SelfSubjectAccessReview",
    plural: "selfsubjectaccessreviews",
    clusterScoped,
    review,
    rules: ownAccessRules,
  },
  {
    kind: "LocalSubjectAccessReview",
    plural: "localsubjectaccessreviews",
    review,
    rules: localAccessRules,
  },
  { kind: "SelfSubjectRulesReview", plural: "selfsubjectrulesreviews", clusterScoped, review },
  {
    kind: "SubjectAccessReview",
    plural: "subjectaccessreviews",
    clusterScoped,
    review,
    rules: accessRules,
  },
];

/** The other groups. */
export const otherGroups = (store: Pick<ObjectStore, "get" | "list">): readonly RowGroup[] => [
  group("admissionregistration.k8s.io", "admissionregistration", [...webhookRows, ...policyRows]),
  group("authentication.k8s.io", "authentication", [
    { kind: "SelfSubjectReview", plural: "selfsubjectreviews", clusterScoped, review },
    { kind: "TokenReview", plural: "tokenreviews", clusterScoped, review },
  ]),
  group("authorization.k8s.io", "authorization", accessReviewRows),
  group("certificates.k8s.io", "certificates", [certificateRow]),
  group("coordination.k8s.io", "coordination", [
    { kind: "Lease", plural: "leases", behaviour: policy.leaseBehaviour, rules: leaseRules },
  ]),
  group("discovery.k8s.io", "discovery", [
    {
      kind: "EndpointSlice",
      plural: "endpointslices",
      behaviour: policy.sliceBehaviour,
      rules: sliceRules(ofPods(store)),
      rulesOfChanged: changedSliceRules,
      changes: sliceChanges(ofPods(store)),
    },
  ]),
  group("events.k8s.io", "events", [eventRow]),
  group("networking.k8s.io", "networking", networkingRows),
  group("policy", "policy", [budgetRow]),
  group("rbac.authorization.k8s.io", "rbac", rbacRows),
  group("scheduling.k8s.io", "scheduling", [priorityClassRow]),
  group("storage.k8s.io", "storage", storageRows),
  group("node.k8s.io", "node", nodeRows),
  group("resource.k8s.io", "resource", deviceRows(store)),
  group("flowcontrol.apiserver.k8s.io", "flowcontrol", flowRows),
  {
    group: "apiregistration.k8s.io",
    version: "v1",
    packageName: "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1",
    rows: [apiServiceRow],
  },
];

function group(name: string, packageName: string, rows: readonly Row[]): RowGroup {
  return { group: name, version: "v1", packageName: `io.k8s.api.${packageName}.v1`, rows };
}
