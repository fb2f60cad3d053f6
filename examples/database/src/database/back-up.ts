// The task behind Servicing: a base backup of the live server, taken by the sidecar beside it, so that it goes on when the
// operator dies.
import type { CompensationCall, HookContext, TaskCall } from "xstate-operator";
import { sidecarTask } from "xstate-operator/tasks";
import type { Database } from "./database.ts";
import { ServerUnreachable, withConnection } from "../postgres/connection.ts";
import { endBackups } from "../postgres/questions.ts";
import type { BackupRequest } from "../sidecar/take-backup.ts";
import { serverAddress, sidecars } from "./server-address.ts";

type Call = HookContext<Database> & TaskCall;

/** Takes one base backup; its output is the backup's marker. */
export const backUp = sidecarTask<Database>({
  sidecar: sidecars,
  task: "backup",
  input: ({ cr, entry }): BackupRequest => ({
    name: backupName({ cr, entry }),
    maxRate: cr.spec.backupMaxRate,
  }),
  compensate: endStreams,
  timeout: "2h",
  retry: { attempts: 5, delay: "5s" },
  poll: "1s",
});

/** The same for each attempt: an attempt that finds the backup of an earlier one takes no other. */
export function backupName({ cr, entry }: Pick<Call, "cr" | "entry">): string {
  return `backup-${entry}-${cr.metadata.uid.slice(0, 8)}`;
}

/**
 * After the last attempt has failed, or the backup was called off: the server writes on until it notices that whoever has asked for it
 * is gone. The half archive is cleared away by the next backup.
 */
async function endStreams(call: Call & CompensationCall): Promise<void> {
  const address = serverAddress(call);
  if (address === undefined) return; // A server that is gone writes nothing.
  try {
    await withConnection(address, call.signal, (client) => endBackups(client, [backupName(call)]));
  } catch (error) {
    if (!(error instanceof ServerUnreachable) || !error.isDown) throw error;
  }
}
