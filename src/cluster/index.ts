// The public entry `xstate-operator/cluster`: a Kubernetes API server in this process, for development and tests.
export { startCluster } from "./start-cluster.ts";
export type { Cluster, ClusterOptions, WriteInterceptor, WriteRequest } from "./cluster.ts";
