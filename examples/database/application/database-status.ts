// What the status of a Database says beside its lifecycle: where it answers, which server it is, the newest backup.
// Only what changes rarely: a status that changes at every look would be written at every look.
import type { HookContext } from "xstate-operator";
import type { BackupMarker } from "../backup/backup-marker.ts";
import type { Database } from "../database.ts";
import { withConnection } from "../postgres/connection.ts";
import { askHealth, readLastBackup } from "../postgres/questions.ts";
import { applicationDatabase } from "../resources/names.ts";
import { serverAddress } from "./server-address.ts";

/** The fields of the status; a missing one stays as it is, null removes it. */
export type DatabaseStatusFields = {
  readonly endpoint?: string | null;
  readonly serverVersion?: string;
  readonly lastBackup?: BackupMarker;
};

/** Asks the server; what only the server knows stays as it was while the server does not answer. */
export async function databaseStatus(context: HookContext<Database>): Promise<DatabaseStatusFields> {
  const address = serverAddress(context);
  if (address === undefined) return { endpoint: null };
  try {
    return await withConnection(address, context.signal, async (client) => {
      const { version } = await askHealth(client, applicationDatabase);
      const lastBackup = await readLastBackup(client);
      return {
        endpoint: `${address.host}:${address.port}`,
        serverVersion: version,
        ...(lastBackup === undefined ? {} : { lastBackup }),
      };
    });
  } catch {
    context.signal.throwIfAborted();
    return {}; // The observation has reported why, on the Lifecycle condition.
  }
}
