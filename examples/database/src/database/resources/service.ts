// The headless Service that gives the server its name in the cluster.
import type { ManifestOf } from "xstate-operator";
import type { Service } from "xstate-operator/kinds";
import type { Database } from "../database.ts";
import { keyFor, labelsOf } from "./names.ts";

/** The Service of a Database. */
export function databaseService(database: Database): ManifestOf<Service> {
  const labels = labelsOf(database);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...keyFor(database), labels },
    spec: {
      clusterIP: "None",
      selector: labels,
      ports: [{ name: "postgresql", port: database.spec.port, targetPort: "postgresql", protocol: "TCP" }],
    },
  };
}
