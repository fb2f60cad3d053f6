// The StatefulSet of a cluster.
import type { InstanceOf, ManifestOf } from "xstate-operator";
import type { StatefulSet } from "xstate-operator/kinds";
import type { Postgres } from "../postgres.ts";
import { labelsOf } from "./names.ts";

/** Its servers. */
export function servers(cr: InstanceOf<typeof Postgres>): ManifestOf<StatefulSet> {
  const { name, namespace } = cr.metadata;
  const labels = labelsOf(cr);
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name, namespace },
    spec: {
      serviceName: name,
      replicas: cr.spec.instances,
      // The operator decides when a pod is replaced.
      updateStrategy: { type: "OnDelete" },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: "postgres", image: `example.com/patroni-postgres:${cr.spec.version}` }],
        },
      },
    },
  };
}
