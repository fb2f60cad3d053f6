/**
 * A Kubernetes API server in this process, for development and tests.
 *
 * @module xstate-operator/cluster
 */
export { startCluster } from "./start-cluster.ts";
export { createSimulatedPods } from "./pods/simulated/simulated-pods.ts";
export type { SimulatedNode, SimulatedPods, SimulatedPodsOptions } from "./pods/simulated/simulated-pods.ts";
export type { RestartDelays } from "./pods/restart-backoff.ts";
export type {
  PodAttachRequest,
  PodConnectRequest,
  PodExecRequest,
  PodExecResult,
  PodLogRequest,
  PodRuntime,
} from "./pods/pod-runtime.ts";
export type {
  SimulatedAnswers,
  SimulatedCommand,
  SimulatedOutput,
} from "./pods/simulated/simulated-answers.ts";
export type {
  SimulatedBehaviour,
  SimulatedEviction,
  SimulatedExit,
  SimulatedMatch,
} from "./pods/simulated/simulated-behaviour.ts";
export type { Cluster, ClusterOptions, WriteInterceptor, WriteRequest } from "./cluster.ts";
export type {
  ClusterFaults,
  Fault,
  FaultLimit,
  Refusal,
  RequestMatch,
  RequestVerb,
} from "./cluster-faults.ts";
