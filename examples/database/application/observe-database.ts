// How the operator sees the database: by asking the server itself, not by the look of its pod.
import type { HookContext, Observation } from "xstate-operator";
import type { BackupMarker } from "../backup/backup-marker.ts";
import type { Database } from "../database.ts";
import { messageOf, withConnection } from "../postgres/connection.ts";
import { askHealth, readLastBackup, type ServerHealth } from "../postgres/questions.ts";
import { applicationDatabase } from "../resources/names.ts";
import { serverAddress } from "./server-address.ts";

/** Looks at the server: `Running`, `BackupDue` (it runs, and its last backup is too old), `Closed` or `Down`. */
export async function observeDatabase(context: HookContext<Database>): Promise<Observation> {
  const address = serverAddress(context);
  if (address === undefined) return { state: "Down", message: "there is no server" };
  try {
    const { health, lastBackup } = await withConnection(address, context.signal, async (client) => ({
      health: await askHealth(client, applicationDatabase),
      lastBackup: await readLastBackup(client),
    }));
    return observationOf({ cr: context.cr, health, lastBackup, now: context.clock.now() });
  } catch (error) {
    context.signal.throwIfAborted();
    return { state: "Down", message: messageOf(error) };
  }
}

/** What the server's answers mean. */
export function observationOf(answers: {
  readonly cr: Database;
  readonly health: ServerHealth;
  readonly lastBackup: BackupMarker | undefined;
  readonly now: number;
}): Observation {
  const { health, lastBackup } = answers;
  if (health.inRecovery) return { state: "Down", message: "the server replays its log" };
  const { connections, version } = health;
  return {
    state: !health.open ? "Closed" : isBackupDue(answers) ? "BackupDue" : "Running",
    facts: { connections, version, ...(lastBackup === undefined ? {} : { lastBackup }) },
    message: `PostgreSQL ${version} answers, ${connections} ${connections === 1 ? "connection" : "connections"}`,
  };
}

/** Whether the Database wants regular backups and the last one (or, before the first, the Database itself) is too old. */
function isBackupDue(answers: {
  readonly cr: Database;
  readonly lastBackup: BackupMarker | undefined;
  readonly now: number;
}): boolean {
  const { cr, lastBackup, now } = answers;
  const { backupEveryHours } = cr.spec;
  if (backupEveryHours === undefined || cr.metadata.deletionTimestamp !== undefined) return false;
  return now - Date.parse(lastBackup?.time ?? cr.metadata.creationTimestamp) >= backupEveryHours * 3_600_000;
}
