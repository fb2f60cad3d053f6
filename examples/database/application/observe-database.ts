// How the operator sees the database: by asking the server itself, not by the look of its pod.
import type { HookContext, ObservationOf } from "xstate-operator";
import { Pod } from "xstate-operator/kinds";
import type { BackupMarker } from "../backup/backup-marker.ts";
import type { Database } from "../database.ts";
import { messageOf, withConnection } from "../postgres/connection.ts";
import { askConfiguration, askHealth, readLastBackup } from "../postgres/questions.ts";
import type { ServerConfiguration, ServerHealth } from "../postgres/questions.ts";
import { configAnnotation, configDigest, databaseConfig } from "../resources/config.ts";
import { applicationDatabase, podKey } from "../resources/names.ts";
import { serverAddress } from "./server-address.ts";

/** What the server and its pod say. */
export interface Answers {
  readonly cr: Database;
  readonly health: ServerHealth;
  readonly configuration: ServerConfiguration;
  /** Of the configuration that the pod was made for. */
  readonly podDigest: string | undefined;
  readonly lastBackup: BackupMarker | undefined;
  readonly now: number;
}

/**
 * Looks at the server: `Running`, `BackupDue` (it runs, and its last backup is too old), `Outdated` (it runs with another
 * configuration than the Database asks for), `Closed` or `Down`.
 */
export async function observeDatabase(
  context: HookContext<Database>,
): Promise<ObservationOf<typeof Database>> {
  const { cr, clock, lookUp } = context;
  const address = serverAddress(context);
  if (address === undefined) return { state: "Down", message: "there is no server" };
  const podDigest = lookUp(Pod, podKey(cr))?.metadata.annotations?.[configAnnotation];
  try {
    const answers = await withConnection(address, context.signal, async (client) => ({
      health: await askHealth(client, applicationDatabase),
      configuration: await askConfiguration(client),
      lastBackup: await readLastBackup(client),
    }));
    return observationOf({ cr, podDigest, ...answers, now: clock.now() });
  } catch (error) {
    context.signal.throwIfAborted();
    return { state: "Down", message: messageOf(error) };
  }
}

/** What the answers mean. */
export function observationOf(answers: Answers): ObservationOf<typeof Database> {
  const { health, lastBackup } = answers;
  if (health.inRecovery) return { state: "Down", message: "the server replays its log" };
  const { connections, version } = health;
  const state = stateOf(answers);
  const but = state === "Outdated" ? ", but with another configuration than the desired one" : "";
  return {
    state,
    facts: { connections, version, ...(lastBackup === undefined ? {} : { lastBackup }) },
    message: `PostgreSQL ${version} answers, ${connections} ${connections === 1 ? "connection" : "connections"}${but}`,
  };
}

function stateOf(answers: Answers): ObservationOf<typeof Database>["state"] {
  if (isOutdated(answers)) return "Outdated";
  if (!answers.health.open) return "Closed";
  return isBackupDue(answers) ? "BackupDue" : "Running";
}

/** Whether the server runs with what the Database asks for: made for it, given it, and started after it was given it. */
function isOutdated({ cr, configuration, podDigest }: Answers): boolean {
  const desired = databaseConfig(cr).data?.["postgresql.conf"];
  return podDigest !== configDigest(cr) || configuration.text !== desired || !configuration.loaded;
}

/** Whether the Database wants regular backups and the last one (or, before the first, the Database itself) is too old. */
function isBackupDue({ cr, lastBackup, now }: Answers): boolean {
  const { backupEveryHours } = cr.spec;
  if (backupEveryHours === undefined || cr.metadata.deletionTimestamp !== undefined) return false;
  return now - Date.parse(lastBackup?.time ?? cr.metadata.creationTimestamp) >= backupEveryHours * 3_600_000;
}
