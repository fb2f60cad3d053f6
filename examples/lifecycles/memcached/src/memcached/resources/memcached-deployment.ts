// The Deployment of a memcached.
import type { InstanceOf, ManifestOf } from "xstate-operator";
import type { Deployment } from "xstate-operator/kinds";
import type { Memcached } from "../memcached.ts";

/** The servers of a memcached. */
export function memcachedDeployment({
  metadata,
  spec,
}: InstanceOf<typeof Memcached>): ManifestOf<Deployment> {
  const { name, namespace } = metadata;
  const labels = { "app.kubernetes.io/name": "memcached", "app.kubernetes.io/instance": name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, labels },
    spec: {
      replicas: spec.size,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "memcached", image: "docker.io/library/memcached:1.6-alpine" }] },
      },
    },
  };
}
