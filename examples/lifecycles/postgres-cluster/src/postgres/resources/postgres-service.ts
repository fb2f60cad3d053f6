// The Service of a cluster.
import type { InstanceOf, ManifestOf } from "xstate-operator";
import type { Service } from "xstate-operator/kinds";
import type { Postgres } from "../postgres.ts";
import { labelsOf } from "./names.ts";

/** How its servers are found. */
export function service(cr: InstanceOf<typeof Postgres>): ManifestOf<Service> {
  const { name, namespace } = cr.metadata;
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace },
    spec: { clusterIP: "None", selector: labelsOf(cr), ports: [{ name: "postgres", port: 5432 }] },
  };
}
