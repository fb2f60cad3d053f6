// The objects in which an operator runs: its namespace, its Deployment, and what belongs to that. They keep to the Pod Security
// Standard "restricted".
import type { OperatorDefinition } from "../controller/declaration/define-operator.ts";
import { servesWebhooks } from "../controller/declaration/operator-webhooks.ts";
import { resourceNameOf } from "../meta/resource-type.ts";
import { labelsOf, type Document } from "./document.ts";
import { argumentsOf, gracePeriodOf, ports, resources, type WorkloadOptions } from "./workload-options.ts";

/** The annotation of the Deployment that names the definitions of the kinds which this build of the operator has, with commas. */
export const kindsAnnotation = "xstate-operator.dev/kinds";

/** The namespace of the operator, which admits only pods that keep to "restricted". */
export function namespaceOf(operator: string, { operatorNamespace }: WorkloadOptions): Document {
  const labels = { ...labelsOf(operator), "pod-security.kubernetes.io/enforce": "restricted" };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: operatorNamespace, labels } };
}

/** The Deployment. */
export function deploymentOf(definition: OperatorDefinition, options: WorkloadOptions): Document {
  const { replicas, sharing, operatorNamespace: namespace } = options;
  const { name: operator } = definition;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: operator,
      namespace,
      labels: labelsOf(operator),
      annotations: {
        [kindsAnnotation]: definition.controllers
          .map(({ kind }) => resourceNameOf(kind))
          .toSorted()
          .join(","),
      },
    },
    spec: {
      replicas,
      // Without an election the next pod must not work beside the last one.
      strategy:
        sharing === "none"
          ? { type: "Recreate" }
          : { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      selector: { matchLabels: labelsOf(operator) },
      template: { metadata: { labels: labelsOf(operator) }, spec: podOf(definition, options) },
    },
  };
}

function podOf(definition: OperatorDefinition, options: WorkloadOptions): object {
  const { name: operator } = definition;
  return {
    serviceAccountName: operator,
    terminationGracePeriodSeconds: gracePeriodOf(definition, options),
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    containers: [
      {
        name: "operator",
        image: options.image,
        args: argumentsOf(definition, options),
        ports: [
          { name: "metrics", containerPort: ports.metrics, protocol: "TCP" },
          { name: "health", containerPort: ports.health, protocol: "TCP" },
          ...(servesWebhooks(definition)
            ? [{ name: "webhook", containerPort: ports.webhook, protocol: "TCP" }]
            : []),
        ],
        livenessProbe: {
          httpGet: { path: "/healthz", port: "health" },
          periodSeconds: 20,
          timeoutSeconds: 5,
        },
        readinessProbe: {
          httpGet: { path: "/readyz", port: "health" },
          periodSeconds: 10,
          timeoutSeconds: 5,
        },
        resources,
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        },
        volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
      },
    ],
    volumes: [{ name: "tmp", emptyDir: { sizeLimit: "64Mi" } }],
    ...(options.replicas > 1
      ? {
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: "kubernetes.io/hostname",
              whenUnsatisfiable: "ScheduleAnyway",
              labelSelector: { matchLabels: labelsOf(operator) },
            },
          ],
        }
      : {}),
  };
}

/** The Service by which Prometheus finds the pods. */
export function metricsServiceOf(
  operator: string,
  { operatorNamespace, metricsSecure }: WorkloadOptions,
): Document {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: `${operator}-metrics`, namespace: operatorNamespace, labels: labelsOf(operator) },
    spec: {
      selector: labelsOf(operator),
      ports: [
        {
          name: "metrics",
          port: ports.metrics,
          targetPort: "metrics",
          protocol: "TCP",
          appProtocol: metricsSecure ? "https" : "http",
        },
      ],
    },
  };
}

/** Lets a node be drained one replica at a time; none where there is one replica, which nobody could ever drain. */
export function disruptionBudgetOf(
  operator: string,
  { operatorNamespace, replicas }: WorkloadOptions,
): readonly Document[] {
  if (replicas < 2) return [];
  return [
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: operator, namespace: operatorNamespace, labels: labelsOf(operator) },
      spec: { maxUnavailable: 1, selector: { matchLabels: labelsOf(operator) } },
    },
  ];
}

/** What the Prometheus operator scrapes. */
export function serviceMonitorOf(
  operator: string,
  { operatorNamespace, metricsSecure }: WorkloadOptions,
): Document {
  const secured = {
    scheme: "https",
    bearerTokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token",
    // The certificate signs itself, unless the operator is given another one.
    tlsConfig: { insecureSkipVerify: true },
  };
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: { name: operator, namespace: operatorNamespace, labels: labelsOf(operator) },
    spec: {
      selector: { matchLabels: labelsOf(operator) },
      endpoints: [{ port: "metrics", path: "/metrics", ...(metricsSecure ? secured : {}) }],
    },
  };
}
