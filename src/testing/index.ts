// The public entry `xstate-operator/testing`: what an author's tests need besides an operator.
export { createVirtualClock } from "./virtual-clock.ts";
export type { VirtualClock } from "./virtual-clock.ts";
export { startCluster } from "../cluster/start-cluster.ts";
export type { Cluster, ClusterOptions, WriteInterceptor, WriteRequest } from "../cluster/cluster.ts";
