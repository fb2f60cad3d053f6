// The ConfigMap with the server's configuration files.
import { createHash } from "node:crypto";
import type { ConfigMap, ManifestOf } from "xstate-operator";
import type { Database } from "../database.ts";
import { pgHbaConf, postgresqlConf } from "../postgres/settings.ts";
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

/** A short digest of the configuration: a pod template that carries it is rolled when a parameter changes. */
export function configDigest(database: Database): string {
  const { data } = databaseConfig(database);
  return createHash("sha256").update(JSON.stringify(data)).digest("hex").slice(0, 16);
}
