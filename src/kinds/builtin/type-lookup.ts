// Kubernetes' own types by apiVersion and kind: for manifests that come from YAML, and for owner references.
import { apiVersionOf, type ResourceType } from "../../meta/resource-type.ts";
import { ConfigMap } from "./config-map.ts";
import { CronJob } from "./cron-job.ts";
import { CustomResourceDefinition } from "./custom-resource-definition.ts";
import { DaemonSet } from "./daemon-set.ts";
import { Deployment } from "./deployment.ts";
import { EndpointSlice } from "./endpoint-slice.ts";
import { Ingress } from "./ingress.ts";
import { Job } from "./job.ts";
import { KubernetesEvent } from "./kubernetes-event.ts";
import { Lease } from "./lease.ts";
import { Namespace } from "./namespace.ts";
import { NetworkPolicy } from "./network-policy.ts";
import { PersistentVolumeClaim } from "./persistent-volume-claim.ts";
import { PodDisruptionBudget } from "./pod-disruption-budget.ts";
import { Pod } from "./pod.ts";
import { ReplicaSet } from "./replica-set.ts";
import { ClusterRoleBinding, RoleBinding } from "./role-binding.ts";
import { ClusterRole, Role } from "./role.ts";
import { Secret } from "./secret.ts";
import { ServiceAccount } from "./service-account.ts";
import { Service } from "./service.ts";
import { StatefulSet } from "./stateful-set.ts";

/** Every built-in type that has a shape here. */
export const builtinTypes: readonly ResourceType[] = [
  ConfigMap,
  Secret,
  Service,
  ServiceAccount,
  Pod,
  PersistentVolumeClaim,
  Namespace,
  KubernetesEvent,
  Deployment,
  StatefulSet,
  ReplicaSet,
  DaemonSet,
  Job,
  CronJob,
  Lease,
  EndpointSlice,
  Role,
  RoleBinding,
  ClusterRole,
  ClusterRoleBinding,
  Ingress,
  PodDisruptionBudget,
  NetworkPolicy,
  CustomResourceDefinition,
];

const byApiVersionAndKind = new Map(builtinTypes.map((type) => [`${apiVersionOf(type)}/${type.kind}`, type]));

/** The built-in type of an `apiVersion` and `kind`, or undefined when it is none of {@link builtinTypes}. */
export function typeOf(apiVersion: string, kind: string): ResourceType | undefined {
  return byApiVersionAndKind.get(`${apiVersion}/${kind}`);
}
