// Kinds of Kubernetes itself that random operations are about.
import * as configuration from "./configuration-kinds.ts";
import * as infrastructure from "./infrastructure-kinds.ts";
import * as network from "./network-kinds.ts";
import type { RandomKind } from "./random-kind.ts";
import * as workloads from "./workload-kinds.ts";

/** The kinds. */
export const builtInKinds: readonly RandomKind[] = [
  configuration.configMap,
  configuration.secret,
  network.service,
  workloads.deployment,
  workloads.pod,
  workloads.job,
  workloads.statefulSet,
  workloads.cronJob,
  network.ingress,
  network.networkPolicy,
  infrastructure.budget,
  configuration.lease,
  configuration.role,
  configuration.binding,
  configuration.account,
  infrastructure.claim,
  configuration.quota,
  configuration.priority,
  infrastructure.node,
  workloads.podTemplate,
  configuration.clusterRole,
  configuration.roleBinding,
  infrastructure.autoscaler,
  infrastructure.storageClass,
  workloads.replicaSet,
  workloads.daemonSet,
  workloads.replicationController,
  workloads.revision,
  configuration.limitRange,
  configuration.runtimeClass,
  configuration.event,
  network.endpoints,
  network.endpointSlice,
  network.ingressClass,
  infrastructure.volume,
];
