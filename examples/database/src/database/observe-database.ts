// How the operator sees the database: by what the sidecar beside the server says, not by the look of its pod.
import type { HookContext, ObservationOf } from "xstate-operator";
import { Pod } from "xstate-operator/kinds";
import type { SidecarReport } from "xstate-operator/remote";
import { messageOf } from "../postgres/connection.ts";
import { textDigest } from "../postgres/settings.ts";
import { serverFacts, type ServerFacts } from "../sidecar/server-facts.ts";
import type { Database } from "./database.ts";
import { configAnnotation, configDigest, databaseConfig } from "./resources/config.ts";
import { podKey } from "./resources/names.ts";
import { serverAddress, sidecars } from "./server-address.ts";

/** What the sidecar and the pod say. */
export interface Answers {
  readonly cr: Database;
  readonly report: SidecarReport;
  /** Of the configuration that the pod was made for. */
  readonly podDigest: string | undefined;
  readonly now: number;
}

/**
 * Looks at the server: `Running`, `BackupDue` (it runs, and its last backup is too old), `Outdated` (it runs with another
 * configuration than the Database asks for), `Closed` or `Down`.
 *
 * **Errors**: when the sidecar alone is away: nothing is known of the server then.
 */
export async function observeDatabase(
  context: HookContext<Database>,
): Promise<ObservationOf<typeof Database>> {
  const { cr, clock, lookUp, signal } = context;
  if (serverAddress(context) === undefined) return { state: "Down", message: "there is no server" };
  const pod = lookUp(Pod, podKey(cr));
  try {
    const report = await sidecars.state(context);
    const podDigest = pod?.metadata.annotations?.[configAnnotation];
    return observationOf({ cr, report, podDigest, now: clock.now() });
  } catch (error) {
    signal.throwIfAborted();
    if (isAway(pod)) throw error;
    return { state: "Down", message: messageOf(error) };
  }
}

/** Whether the sidecar alone is away: it was there, and the server's port answers, as the kubelet sees it. */
function isAway(pod: Pod | undefined): boolean {
  const containers = pod?.status?.containerStatuses ?? [];
  const find = (container: string) => containers.find(({ name }) => name === container);
  const sidecar = find("sidecar");
  const hasStarted = sidecar !== undefined && (sidecar.ready || sidecar.restartCount > 0);
  return hasStarted && find("postgres")?.ready === true;
}

/** What the answers mean. Errors: when the sidecar does not say how the server is. */
export function observationOf(answers: Answers): ObservationOf<typeof Database> {
  const { report } = answers;
  if (report.state === undefined) throw new Error(`the sidecar: ${report.error ?? "it says nothing"}`);
  if (report.state === "Recovering") return { state: "Down", message: "the server replays its log" };
  if (report.state === "Down") return { state: "Down", message: report.facts?.["reason"] as string };
  const facts = serverFacts.parse(report.facts);
  const state = stateOf(answers, facts);
  const but = state === "Outdated" ? ", but with another configuration than the desired one" : "";
  return { state, facts, message: `PostgreSQL ${facts.version} answers${but}` };
}

function stateOf(answers: Answers, facts: ServerFacts): ObservationOf<typeof Database>["state"] {
  if (isOutdated(answers, facts)) return "Outdated";
  if (answers.report.state === "Closed") return "Closed";
  return isBackupDue(answers, facts) ? "BackupDue" : "Running";
}

/** Whether the server runs with what the Database asks for: made for it, given it, and started after it was given it. */
function isOutdated({ cr, podDigest }: Answers, { configuration }: ServerFacts): boolean {
  const desired = textDigest(databaseConfig(cr).data?.["postgresql.conf"] ?? "");
  return podDigest !== configDigest(cr) || configuration.digest !== desired || !configuration.loaded;
}

/** Whether the Database wants regular backups and the last one (or, before the first, the Database itself) is too old. */
function isBackupDue({ cr, now }: Answers, { lastBackup }: ServerFacts): boolean {
  const { backupEveryHours } = cr.spec;
  if (backupEveryHours === undefined || cr.metadata.deletionTimestamp !== undefined) return false;
  return now - Date.parse(lastBackup?.time ?? cr.metadata.creationTimestamp) >= backupEveryHours * 3_600_000;
}
