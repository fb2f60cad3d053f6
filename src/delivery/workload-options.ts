// How an operator runs in a cluster: what its Deployment and all around it are made of.
import { servesWebhooks } from "../controller/declaration/operator-webhooks.ts";
import type { OperatorDefinition } from "../controller/declaration/define-operator.ts";
import { webhookGrace, webhookWithdrawal } from "../webhook/webhook-server.ts";
import type { AccessOptions } from "./required-permissions.ts";

/** Options of the workload. */
export interface WorkloadOptions extends AccessOptions {
  readonly image: string;
  readonly replicas: number;
  /** Milliseconds that running reconciles get at shutdown. */
  readonly drainTimeout: number;
}

/** Ports of the container. */
export const ports = { metrics: 8_080, health: 8_081, webhook: 9_443 };

/** Where the certificate of the webhooks is, if it is mounted: where OLM and cert-manager's examples have it. */
export const certificateFolder = "/tmp/k8s-webhook-server/serving-certs";

/** Seconds that a pod gets after the drain for its last Events and its Lease. */
const afterDrain = 5;

/** Whole seconds until a pod that ends is killed: never before its drain is over, and its last callers are answered. */
export function gracePeriodOf(operator: OperatorDefinition, { drainTimeout }: WorkloadOptions): number {
  const serves = servesWebhooks(operator);
  const open = serves ? Math.max(drainTimeout, webhookWithdrawal) + webhookGrace : drainTimeout;
  return Math.ceil(open / 1_000) + afterDrain;
}

/** The flags that the container is started with. */
export function argumentsOf(
  operator: OperatorDefinition,
  {
    namespaces,
    sharing,
    installCrds,
    metricsSecure,
    drainTimeout,
    webhookCertificate = "own",
  }: WorkloadOptions,
): readonly string[] {
  return [
    `--health-probe-bind-address=:${ports.health}`,
    `--metrics-bind-address=:${ports.metrics}`,
    ...(metricsSecure ? ["--metrics-secure"] : []),
    ...(servesWebhooks(operator)
      ? [
          `--webhook-bind-address=:${ports.webhook}`,
          ...(webhookCertificate === "mounted" ? [`--webhook-cert-dir=${certificateFolder}`] : []),
        ]
      : []),
    `--drain-timeout=${drainTimeout / 1_000}s`,
    ...(sharing === "election" ? ["--leader-elect"] : []),
    ...(sharing === "sharding" ? ["--sharding"] : []),
    ...(installCrds ? ["--install-crds"] : []),
    ...namespaces.map((namespace) => `--namespace=${namespace}`),
  ];
}

/** What the operator asks a node for: a little more than it takes when it has started (`bench/micro/built-start.ts`). */
export const resources = { requests: { cpu: "50m", memory: "160Mi" }, limits: { memory: "512Mi" } };
