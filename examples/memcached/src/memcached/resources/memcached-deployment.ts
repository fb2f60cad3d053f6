// The Deployment of a Memcached.
import type { ManifestOf, ObjectKey } from "xstate-operator";
import type { Deployment, Pod } from "xstate-operator/kinds";
import type { Memcached } from "../memcached.ts";

/** The labels of a Memcached's pods. */
export function labelsOf(memcached: Memcached): Record<string, string> {
  return { "app.kubernetes.io/name": "memcached", "app.kubernetes.io/instance": memcached.metadata.name };
}

/** The Memcached that a pod belongs to, by its labels; none for any other pod. */
export function memcachedOf({ metadata: { namespace, labels = {} } }: Pod): readonly ObjectKey[] {
  const instance = labels["app.kubernetes.io/instance"];
  return labels["app.kubernetes.io/name"] === "memcached" && instance !== undefined
    ? [{ namespace, name: instance }]
    : [];
}

/** The Deployment of a Memcached. */
export function memcachedDeployment(memcached: Memcached): ManifestOf<Deployment> {
  const { name, namespace } = memcached.metadata;
  const labels = labelsOf(memcached);
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, labels },
    spec: {
      replicas: memcached.spec.size,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: "memcached",
              image: "docker.io/library/memcached:1.6-alpine",
              command: ["memcached", "--memory-limit=64"],
              ports: [{ name: "memcached", containerPort: 11211, protocol: "TCP" }],
              readinessProbe: { tcpSocket: { port: "memcached" } },
              securityContext: { runAsNonRoot: true, runAsUser: 11211, allowPrivilegeEscalation: false },
            },
          ],
        },
      },
    },
  };
}
