// What the status of a Database says beside its lifecycle: where it answers, which server it is, the newest backup.
// Only what changes rarely: a status that changes at every look would be written at every look.
import type { StepContext } from "xstate-operator";
import type { BackupMarker } from "../sidecar/backup-marker.ts";
import { serverFacts } from "../sidecar/server-facts.ts";
import type { Database } from "./database.ts";
import { serverAddress } from "./server-address.ts";

/** The fields of the status; a missing one stays as it is, null removes it. */
export type DatabaseStatusFields = {
  readonly endpoint?: string | null;
  readonly serverVersion?: string;
  readonly lastBackup?: BackupMarker;
};

/** What the observation has found; what only the server knows stays as it was while the server does not answer. */
export function databaseStatus(
  context: Pick<StepContext<Database>, "cr" | "lookUp" | "application">,
): DatabaseStatusFields {
  const address = serverAddress(context);
  if (address === undefined) return { endpoint: null };
  const { data: facts } = serverFacts.safeParse(context.application()?.facts);
  if (facts === undefined) return {};
  return {
    endpoint: `${address.host}:${address.port}`,
    serverVersion: facts.version,
    ...(facts.lastBackup === undefined ? {} : { lastBackup: facts.lastBackup }),
  };
}
