// The ConfigMap with the server's configuration files.
import { createHash } from "node:crypto";
import type { ManifestOf } from "xstate-operator";
import type { ConfigMap } from "xstate-operator/kinds";
import type { Database } from "../database.ts";
import { pgHbaConf, postgresqlConf } from "../../postgres/settings.ts";
import { keyFor, labelsOf } from "./names.ts";

/** The ConfigMap of a Database. */
export function databaseConfig(database: Database): ManifestOf<ConfigMap> {
  const { parameters, maxConnections, port } = database.spec;
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { ...keyFor(database, "-config"), labels: labelsOf(database) },
    data: {
      "postgresql.conf": postgresqlConf({ parameters, maxConnections, port }),
      "pg_hba.conf": pgHbaConf(),
    },
  };
}

/** The annotation of a server's pod with {@link configDigest}. */
export const configAnnotation = "data.example.com/config";

/** The annotation of a server's StatefulSet with {@link settingsDigest}. */
export const settingsAnnotation = "data.example.com/settings";

/** A short digest of the configuration: a pod template that carries it is rolled when a parameter changes. */
export function configDigest(database: Database): string {
  return digestOf(databaseConfig(database).data);
}

/** A short digest of what users say about the configuration; what a new operator adds by itself does not change it. */
export function settingsDigest({ spec }: Pick<Database, "spec">): string {
  const parameters = Object.entries(spec.parameters).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return digestOf([parameters, spec.maxConnections, spec.port]);
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}
