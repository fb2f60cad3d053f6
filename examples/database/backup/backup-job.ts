// The Job that takes one base backup.
import type { JobManifest } from "xstate-operator/jobs";
import type { Database } from "../database.ts";
import { backupImage, folders, keyFor, labelsOf, podKey, postgresUser } from "../resources/names.ts";

/** What a backup Job is made of. */
export interface BackupJobOptions {
  /** The task's idempotency key, by which the Job is named: the name of the backup. */
  readonly key: string;
  /** Where the server answers. */
  readonly host: string;
}

/** The Job of one backup. It tries once: another attempt is another Job, with its own folder. */
export function backupJob(database: Database, options: BackupJobOptions): JobManifest {
  const { key, host } = options;
  const labels = {
    "app.kubernetes.io/name": "database-backup",
    "app.kubernetes.io/instance": database.metadata.name,
  };
  const { backupMaxRate, port } = database.spec;
  return {
    metadata: { labels },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: 7200,
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: "Never",
          automountServiceAccountToken: false,
          // The server's own user: the archive that the server writes is readable for nobody else.
          securityContext: {
            runAsUser: postgresUser,
            runAsGroup: postgresUser,
            fsGroup: postgresUser,
            runAsNonRoot: true,
          },
          // A volume of one node: the backup runs where the server runs.
          affinity: {
            podAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                {
                  labelSelector: { matchLabels: labelsOf(database) },
                  topologyKey: "kubernetes.io/hostname",
                },
              ],
            },
          },
          containers: [
            {
              name: "backup",
              image: backupImage,
              command: ["take-backup"],
              env: [
                { name: "BACKUP_NAME", value: key },
                { name: "BACKUP_FOLDER", value: folders.backups },
                { name: "BACKUP_MAX_RATE", value: String(backupMaxRate) },
                { name: "PGHOST", value: host },
                { name: "PGPORT", value: String(port) },
                { name: "PGUSER", value: "postgres" },
                {
                  name: "PGPASSWORD",
                  valueFrom: {
                    secretKeyRef: { name: keyFor(database, "-secret").name, key: "superuser-password" },
                  },
                },
              ],
              volumeMounts: [{ name: "backups", mountPath: folders.backups }],
              securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
            },
          ],
          volumes: [
            { name: "backups", persistentVolumeClaim: { claimName: `backups-${podKey(database).name}` } },
          ],
        },
      },
    },
  };
}
