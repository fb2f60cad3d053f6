/**
 * Kubernetes' own kinds, each a constant and the type of its objects, and what can be asked of them.
 *
 * @module xstate-operator/kinds
 */

// Kinds, by API group
export {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from "./builtin/admissionregistration.ts";
export { CustomResourceDefinition } from "./builtin/apiextensions.ts";
export type { PrinterColumn, ScaleSubresource } from "./builtin/apiextensions.ts";
export { APIService } from "./builtin/apiregistration.ts";
export { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from "./builtin/apps.ts";
export { HorizontalPodAutoscaler } from "./builtin/autoscaling.ts";
export { CronJob, Job } from "./builtin/batch.ts";
export { CertificateSigningRequest } from "./builtin/certificates.ts";
export { Lease } from "./builtin/coordination.ts";
export {
  ConfigMap,
  Endpoints,
  LimitRange,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from "./builtin/core.ts";
export { EndpointSlice } from "./builtin/discovery.ts";
export { KubernetesEvent } from "./builtin/events.ts";
export { FlowSchema, PriorityLevelConfiguration } from "./builtin/flowcontrol.ts";
export { Ingress, IngressClass, NetworkPolicy } from "./builtin/networking.ts";
export { RuntimeClass } from "./builtin/node.ts";
export { PodDisruptionBudget } from "./builtin/policy.ts";
export { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "./builtin/rbac.ts";
export { DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice } from "./builtin/resource.ts";
export { PriorityClass } from "./builtin/scheduling.ts";
export {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from "./builtin/storage.ts";

// What every object has
export type { ClusterObject, Json, NamespacedObject, ObjectMeta, OwnerReference } from "../meta/object.ts";

// Parts of them
export type {
  Affinity,
  Container,
  ContainerPort,
  ContainerState,
  ContainerStatus,
  Endpoint,
  EndpointPort,
  EnvFromSource,
  EnvVar,
  JobSpec,
  KeyToPath,
  LabelSelector,
  LabelSelectorRequirement,
  LifecycleHandler,
  LocalObjectReference,
  ObjectReference,
  PersistentVolumeClaimSpec,
  PodSecurityContext,
  PodSpec,
  PodStatus,
  PodTemplateSpec,
  PolicyRule,
  Probe,
  ResourceRequirements,
  RoleRef,
  SecurityContext,
  ServicePort,
  Subject,
  Toleration,
  TopologySpreadConstraint,
  Volume,
  VolumeMount,
} from "./builtin/parts.ts";

// Any other type of Kubernetes, by its generated model
export type {
  ClusterScopedOf,
  JsonOf,
  NamespacedOf,
  StructuralSchema,
  ValidationRule,
} from "./builtin/json-of.ts";

// What can be asked of objects
export {
  isClaimBound,
  isJobComplete,
  isPodReady,
  isReady,
  isServiceReady,
  jobFailureOf,
  podFailureOf,
  readyEndpointsCount,
} from "./builtin/readiness.ts";
export { isConditionTrue, type WorkloadCondition } from "./builtin/workload-condition.ts";
export {
  isRolledOut,
  isTerminating,
  type PodsCount,
  readyPodsCount,
  runningPodsCount,
} from "./builtin/workload-status.ts";
export { encodeSecretValue, secretValue, withEncodedStringData } from "./builtin/secret-value.ts";
