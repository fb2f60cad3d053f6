// The kind Database: what users write, what the operator answers, and the life in between.
import { defineKind, type InstanceOf } from "xstate-operator";
import { z } from "zod";
import { backupMarker } from "../sidecar/backup-marker.ts";
import { databaseLifecycle } from "./database-lifecycle.ts";
import { reservedSettings, settingValue } from "../postgres/settings.ts";

/** What users write. */
const databaseSpec = z.object({
  storage: z
    .string()
    .regex(/^[1-9][0-9]*(Mi|Gi|Ti)$/)
    .default("1Gi")
    .describe("Size of the data volume, and of the backup volume. Cannot be changed."),
  port: z
    .int()
    .min(1_024)
    .max(65_534)
    .default(5_432)
    .describe("Where the server listens; its sidecar listens at the next one."),
  maxConnections: z.int().min(10).max(10_000).default(50).describe("Connections at the same time."),
  parameters: z
    .record(z.string(), z.string().regex(settingValue))
    .default({})
    .describe(
      "Settings of postgresql.conf. A change restarts the server, but not during a backup or a stop.",
    ),
  backupEveryHours: z
    .number()
    .positive()
    .optional()
    .describe("Back up by itself when the last backup is older. Default: only when it is desired."),
  backupMaxRate: z
    .int()
    .min(0)
    .max(1_048_576)
    .default(0)
    .describe("Speed limit of a backup in kB/s, so that the database keeps its own; 0: none."),
  drainSeconds: z
    .int()
    .min(0)
    .max(3_600)
    .default(30)
    .describe("Time that connected clients get before a stop ends them."),
  deletionPolicy: z
    .enum(["Retain", "Delete"])
    .default("Retain")
    .describe("What happens to the volumes when the Database is deleted."),
});

/** What the operator answers. */
const databaseStatus = z.object({
  endpoint: z.string().describe("Where the server answers: address and port."),
  serverVersion: z.string(),
  lastBackup: backupMarker.describe("The newest finished backup."),
});

/** The kind of {@link Database}. */
export const Database = defineKind({
  group: "data.example.com",
  version: "v1",
  kind: "Database",
  shortNames: ["db"],
  categories: ["data"],
  description: "A PostgreSQL database, driven through its life by its operator.",
  spec: databaseSpec,
  status: databaseStatus,
  lifecycle: databaseLifecycle,
  // Version 1 had no Reconfiguring and remembered nothing; its states are still there.
  migrate: { "1": ({ value, context }) => ({ value, context: { ...context, reconfigurations: 0 } }) },
  printerColumns: [
    { name: "Endpoint", type: "string", jsonPath: ".status.endpoint" },
    { name: "Last Backup", type: "date", jsonPath: ".status.lastBackup.time" },
  ],
  validations: [
    {
      rule: "!has(oldSelf.storage) || self.storage == oldSelf.storage",
      message: "storage cannot be changed: make a new Database and restore a backup into it",
      fieldPath: ".storage",
    },
    {
      rule: reservedSettings.map((name) => `!("${name}" in self.parameters)`).join(" && "),
      message: `the operator itself sets ${reservedSettings.join(", ")}`,
      fieldPath: ".parameters",
    },
  ],
});

/** A Database. */
export type Database = InstanceOf<typeof Database>;
