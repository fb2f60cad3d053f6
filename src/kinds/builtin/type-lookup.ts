// Kubernetes' own types by apiVersion and kind: for manifests that come from YAML, and for owner references.
import { apiVersionOf, type ResourceType } from "../../meta/resource-type.ts";
import {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from "./admissionregistration.ts";
import { CustomResourceDefinition } from "./apiextensions.ts";
import { APIService } from "./apiregistration.ts";
import { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from "./apps.ts";
import { HorizontalPodAutoscaler } from "./autoscaling.ts";
import { CronJob, Job } from "./batch.ts";
import { CertificateSigningRequest } from "./certificates.ts";
import { Lease } from "./coordination.ts";
import {
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
} from "./core.ts";
import { EndpointSlice } from "./discovery.ts";
import { KubernetesEvent } from "./events.ts";
import { FlowSchema, PriorityLevelConfiguration } from "./flowcontrol.ts";
import { Ingress, IngressClass, NetworkPolicy } from "./networking.ts";
import { RuntimeClass } from "./node.ts";
import { PodDisruptionBudget } from "./policy.ts";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "./rbac.ts";
import { DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice } from "./resource.ts";
import { PriorityClass } from "./scheduling.ts";
import {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from "./storage.ts";

/** Every built-in type of a stable version. */
export const builtinTypes: readonly ResourceType[] = [
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
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
  CustomResourceDefinition,
  APIService,
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
  HorizontalPodAutoscaler,
  CronJob,
  Job,
  CertificateSigningRequest,
  Lease,
  EndpointSlice,
  KubernetesEvent,
  FlowSchema,
  PriorityLevelConfiguration,
  Ingress,
  IngressClass,
  NetworkPolicy,
  RuntimeClass,
  PodDisruptionBudget,
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  DeviceClass,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
  PriorityClass,
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
];

const byApiVersionAndKind = new Map(builtinTypes.map((type) => [`${apiVersionOf(type)}/${type.kind}`, type]));

/** The built-in type of an `apiVersion` and `kind`, or undefined when it is none of {@link builtinTypes}. */
export function typeOf(apiVersion: string, kind: string): ResourceType | undefined {
  return byApiVersionAndKind.get(`${apiVersion}/${kind}`);
}
