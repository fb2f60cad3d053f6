// How an operator runs in a cluster: what its Deployment and all around it are made of.
import type { AccessOptions } from "./required-permissions.ts";

/** Options of the workload. */
export interface WorkloadOptions extends AccessOptions {
  readonly image: string;
  readonly replicas: number;
  /** Milliseconds that running reconciles get at shutdown. */
  readonly drainTimeout: number;
}

/** Ports of the container. */
export const ports = { metrics: 8_080, health: 8_081 };

/** Seconds that a pod gets after the drain for its last Events and its Lease. */
const afterDrain = 5;

/** Whole seconds until a pod that ends is killed: never before its drain is over. */
export function gracePeriodOf({ drainTimeout }: WorkloadOptions): number {
  return Math.ceil(drainTimeout / 1_000) + afterDrain;
}

/** The flags that the container is started with. */
export function argumentsOf({
  namespaces,
  sharing,
  installCrds,
  metricsSecure,
  drainTimeout,
}: WorkloadOptions): readonly string[] {
  return [
    `--health-probe-bind-address=:${ports.health}`,
    `--metrics-bind-address=:${ports.metrics}`,
    ...(metricsSecure ? ["--metrics-secure"] : []),
    `--drain-timeout=${drainTimeout / 1_000}s`,
    ...(sharing === "election" ? ["--leader-elect"] : []),
    ...(sharing === "sharding" ? ["--sharding"] : []),
    ...(installCrds ? ["--install-crds"] : []),
    ...namespaces.map((namespace) => `--namespace=${namespace}`),
  ];
}
