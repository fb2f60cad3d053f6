// Kinds of admissionregistration.k8s.io/v1: who may change or refuse a write.
import type { V1MutatingAdmissionPolicy } from "@kubernetes/client-node/dist/gen/models/V1MutatingAdmissionPolicy.js";
import type { V1MutatingAdmissionPolicyBinding } from "@kubernetes/client-node/dist/gen/models/V1MutatingAdmissionPolicyBinding.js";
import type { V1MutatingWebhookConfiguration } from "@kubernetes/client-node/dist/gen/models/V1MutatingWebhookConfiguration.js";
import type { V1ValidatingAdmissionPolicy } from "@kubernetes/client-node/dist/gen/models/V1ValidatingAdmissionPolicy.js";
import type { V1ValidatingAdmissionPolicyBinding } from "@kubernetes/client-node/dist/gen/models/V1ValidatingAdmissionPolicyBinding.js";
import type { V1ValidatingWebhookConfiguration } from "@kubernetes/client-node/dist/gen/models/V1ValidatingWebhookConfiguration.js";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { ClusterScopedOf } from "./json-of.ts";

/** A MutatingAdmissionPolicy (admissionregistration.k8s.io v1): changes to writes, in CEL. */
export interface MutatingAdmissionPolicy extends ClusterScopedOf<V1MutatingAdmissionPolicy> {}
/** The type of {@link MutatingAdmissionPolicy}. */
export const MutatingAdmissionPolicy: ResourceType<MutatingAdmissionPolicy> = builtin(
  "admissionregistration.k8s.io/v1",
  "MutatingAdmissionPolicy",
  "mutatingadmissionpolicies",
  "Cluster",
);

/** A MutatingAdmissionPolicyBinding (admissionregistration.k8s.io v1): where a {@link MutatingAdmissionPolicy} applies. */
export interface MutatingAdmissionPolicyBinding extends ClusterScopedOf<V1MutatingAdmissionPolicyBinding> {}
/** The type of {@link MutatingAdmissionPolicyBinding}. */
export const MutatingAdmissionPolicyBinding: ResourceType<MutatingAdmissionPolicyBinding> = builtin(
  "admissionregistration.k8s.io/v1",
  "MutatingAdmissionPolicyBinding",
  "mutatingadmissionpolicybindings",
  "Cluster",
);

/** A MutatingWebhookConfiguration (admissionregistration.k8s.io v1): webhooks that change writes. */
export interface MutatingWebhookConfiguration extends ClusterScopedOf<V1MutatingWebhookConfiguration> {}
/** The type of {@link MutatingWebhookConfiguration}. */
export const MutatingWebhookConfiguration: ResourceType<MutatingWebhookConfiguration> = builtin(
  "admissionregistration.k8s.io/v1",
  "MutatingWebhookConfiguration",
  "mutatingwebhookconfigurations",
  "Cluster",
);

/** A ValidatingAdmissionPolicy (admissionregistration.k8s.io v1): rules that writes must meet, in CEL. */
export interface ValidatingAdmissionPolicy extends ClusterScopedOf<V1ValidatingAdmissionPolicy> {}
/** The type of {@link ValidatingAdmissionPolicy}. */
export const ValidatingAdmissionPolicy: ResourceType<ValidatingAdmissionPolicy> = builtin(
  "admissionregistration.k8s.io/v1",
  "ValidatingAdmissionPolicy",
  "validatingadmissionpolicies",
  "Cluster",
);

/** A ValidatingAdmissionPolicyBinding (admissionregistration.k8s.io v1): where a {@link ValidatingAdmissionPolicy} applies. */
export interface ValidatingAdmissionPolicyBinding extends ClusterScopedOf<V1ValidatingAdmissionPolicyBinding> {}
/** The type of {@link ValidatingAdmissionPolicyBinding}. */
export const ValidatingAdmissionPolicyBinding: ResourceType<ValidatingAdmissionPolicyBinding> = builtin(
  "admissionregistration.k8s.io/v1",
  "ValidatingAdmissionPolicyBinding",
  "validatingadmissionpolicybindings",
  "Cluster",
);

/** A ValidatingWebhookConfiguration (admissionregistration.k8s.io v1): webhooks that refuse writes. */
export interface ValidatingWebhookConfiguration extends ClusterScopedOf<V1ValidatingWebhookConfiguration> {}
/** The type of {@link ValidatingWebhookConfiguration}. */
export const ValidatingWebhookConfiguration: ResourceType<ValidatingWebhookConfiguration> = builtin(
  "admissionregistration.k8s.io/v1",
  "ValidatingWebhookConfiguration",
  "validatingwebhookconfigurations",
  "Cluster",
);
