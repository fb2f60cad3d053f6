// The StatefulSet that runs PostgreSQL: one pod with the server and its sidecar, a volume for its data and one for its backups.
// Scaled to zero once the lifecycle has ended; the volumes then follow the deletion policy.
import type { ManifestOf } from "xstate-operator";
import type { StatefulSet } from "xstate-operator/kinds";
import type { Database } from "../database.ts";
import { applicationDatabase } from "../../postgres/settings.ts";
import { configAnnotation, configDigest, settingsAnnotation, settingsDigest } from "./config.ts";
import { folders, keyFor, labelsOf, postgresImage, postgresUser, sidecarImage } from "./names.ts";

const dataFolder = `${folders.data}/pgdata`;

/**
 * Makes the data folder in one step, so that a crash in the middle leaves nothing half-made, and opens the application's
 * database, which the last stop has closed. Runs before the server, at every start of the pod.
 */
const prepare = `
umask 077
single() { postgres --single -c exit_on_error=true -c log_min_error_statement=panic -D "$1" postgres >/dev/null; }
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  rm -rf "$PGDATA.new"
  initdb --pgdata="$PGDATA.new" --username=postgres --pwfile="$SECRET_FOLDER/superuser-password" \\
    --auth=scram-sha-256 --encoding=UTF8 --locale=C
  {
    echo "CREATE ROLE ${applicationDatabase} LOGIN PASSWORD '$(cat "$SECRET_FOLDER/password")'"
    echo "CREATE DATABASE ${applicationDatabase} OWNER ${applicationDatabase}"
  } | single "$PGDATA.new"
  mv "$PGDATA.new" "$PGDATA"
fi
echo "ALTER DATABASE ${applicationDatabase} ALLOW_CONNECTIONS true" | single "$PGDATA"
`;

/** Where the sidecar of a server listens: beside the server's own port. */
export function sidecarPort(database: Pick<Database, "spec">): number {
  return database.spec.port + 1;
}

const restricted = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };

/** The StatefulSet of a Database. */
export function databaseSet(database: Database): ManifestOf<StatefulSet> {
  const labels = labelsOf(database);
  const { storage, deletionPolicy } = database.spec;
  const claim = (name: string) => ({
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage } } },
  });
  const volumeMounts = [
    { name: "data", mountPath: folders.data },
    { name: "backups", mountPath: folders.backups },
    { name: "config", mountPath: folders.config, readOnly: true },
    { name: "secret", mountPath: folders.secret, readOnly: true },
  ];
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: {
      ...keyFor(database),
      labels,
      annotations: { [settingsAnnotation]: settingsDigest(database) },
    },
    spec: {
      replicas: hasEnded(database) ? 0 : 1,
      serviceName: database.metadata.name,
      selector: { matchLabels: labels },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: deletionPolicy, whenScaled: "Retain" },
      volumeClaimTemplates: [claim("data"), claim("backups")],
      template: {
        metadata: { labels, annotations: { [configAnnotation]: configDigest(database) } },
        spec: {
          securityContext: {
            runAsUser: postgresUser,
            runAsGroup: postgresUser,
            fsGroup: postgresUser,
            runAsNonRoot: true,
          },
          automountServiceAccountToken: false,
          terminationGracePeriodSeconds: 30,
          initContainers: [
            {
              name: "prepare",
              image: postgresImage,
              command: ["sh", "-ec", prepare],
              env: [
                { name: "PGDATA", value: dataFolder },
                { name: "SECRET_FOLDER", value: folders.secret },
              ],
              volumeMounts,
              securityContext: restricted,
            },
          ],
          containers: [
            {
              name: "postgres",
              image: postgresImage,
              command: ["postgres"],
              args: [
                `--config_file=${folders.config}/postgresql.conf`,
                `--hba_file=${folders.config}/pg_hba.conf`,
                "--listen_addresses=$(POD_IP)",
                // For the sidecar, which asks the server where its backup folder is.
                `--backup.folder=${folders.backups}`,
              ],
              env: [
                { name: "PGDATA", value: dataFolder },
                { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
              ],
              ports: [{ name: "postgresql", containerPort: database.spec.port, protocol: "TCP" }],
              // At once, whoever is connected: SIGTERM alone would wait for every client to leave.
              lifecycle: {
                preStop: { exec: { command: ["pg_ctl", "stop", "--mode=fast", "--no-wait", "--silent"] } },
              },
              readinessProbe: { tcpSocket: { port: "postgresql" }, periodSeconds: 1, timeoutSeconds: 1 },
              volumeMounts,
              securityContext: restricted,
            },
            {
              name: "sidecar",
              image: sidecarImage,
              command: ["database-sidecar"],
              env: [
                { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
                { name: "PGPORT", value: String(database.spec.port) },
                { name: "SIDECAR_PORT", value: String(sidecarPort(database)) },
                { name: "SECRET_FOLDER", value: folders.secret },
                { name: "BACKUP_FOLDER", value: folders.backups },
                { name: "RECORDS_FOLDER", value: folders.records },
              ],
              ports: [{ name: "sidecar", containerPort: sidecarPort(database), protocol: "TCP" }],
              readinessProbe: { tcpSocket: { port: "sidecar" }, periodSeconds: 1, timeoutSeconds: 1 },
              volumeMounts: [
                { name: "backups", mountPath: folders.backups },
                { name: "secret", mountPath: folders.secret, readOnly: true },
                { name: "records", mountPath: folders.records },
              ],
              securityContext: restricted,
            },
          ],
          volumes: [
            { name: "config", configMap: { name: keyFor(database, "-config").name } },
            // What the sidecar remembers of its tasks outlives it, and not the pod.
            { name: "records", emptyDir: {} },
            { name: "secret", secret: { secretName: keyFor(database, "-secret").name, defaultMode: 0o440 } },
          ],
        },
      },
    },
  };
}

function hasEnded(database: Database): boolean {
  return database.status?.lifecycle?.state === "End";
}
