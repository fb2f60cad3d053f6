// The task behind Servicing: a base backup of the live server, taken by a Kubernetes Job, so that it goes on when the
// operator dies. The Job is named by the task's idempotency key: however often it is asked for, it exists once.
import { isAlreadyExists, isNotFound, Job } from "xstate-operator";
import type { HookContext, TaskCall, TaskDefinition, TaskObservation } from "xstate-operator";
import { backupJob } from "../backup/backup-job.ts";
import type { Database } from "../database.ts";
import { messageOf, withConnection } from "../postgres/connection.ts";
import { askBackupProgress, readBackupMarker, type BackupProgress } from "../postgres/questions.ts";
import { keyFor } from "../resources/names.ts";
import { serverAddress } from "./server-address.ts";

type Call = HookContext<Database> & TaskCall;

/** Takes one base backup; its output is the backup's marker. */
export const backUp: TaskDefinition<HookContext<Database>> = {
  start: startBackup,
  observe: observeBackup,
  cancel: cancelBackup,
  timeout: "2h",
  retry: { attempts: 3, delay: "10s" },
  poll: "1s",
};

async function startBackup(call: Call): Promise<void> {
  const { cr, client, key, signal } = call;
  const address = serverAddress(call);
  if (address === undefined) throw new Error("there is no server to back up");
  const owner = {
    apiVersion: cr.apiVersion,
    kind: cr.kind,
    name: cr.metadata.name,
    uid: cr.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  try {
    await client.create(Job, backupJob(cr, { key, host: address.host, owner }), { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error; // It was started before a crash.
  }
}

async function observeBackup(call: Call): Promise<TaskObservation> {
  const job = await findJob(call);
  if (job === undefined) return { phase: "NotFound" };
  const ended = job.status?.conditions?.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
  if (ended?.type === "Failed") {
    return { phase: "Failed", message: ended.message ?? ended.reason ?? "the Job failed" };
  }
  const address = serverAddress(call);
  if (address === undefined) return { phase: "Running", message: "the server is away" };
  try {
    return await withConnection(address, call.signal, async (client) => {
      if (ended === undefined) return progressOf(await askBackupProgress(client), call.progress);
      const marker = await readBackupMarker(client, call.key);
      if (marker === undefined) {
        return {
          phase: "Failed",
          message: "the Job is complete, but its backup is not in the backup folder",
        };
      }
      return { phase: "Succeeded", output: marker, message: `${marker.file}, ${inMegabytes(marker.size)}` };
    });
  } catch (error) {
    call.signal.throwIfAborted();
    return { phase: "Running", message: messageOf(error) }; // The Job says how it ends; the server only how far it is.
  }
}

async function cancelBackup({ cr, client, key, signal }: Call): Promise<void> {
  try {
    await client.delete(
      Job,
      { ...keyFor(cr), name: key },
      {
        propagationPolicy: "Background",
        signal,
      },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** The Job of this call; the server is asked when the cache has not seen it yet. */
async function findJob({ cr, client, key, lookUp, signal }: Call): Promise<Job | undefined> {
  const name = { ...keyFor(cr), name: key };
  const cached = lookUp(Job, name);
  if (cached !== undefined) return cached;
  try {
    return await client.get(Job, name, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** PostgreSQL's progress as a task's; `before` is how far an earlier look has found it. */
export function progressOf(progress: BackupProgress | undefined, before?: number): TaskObservation {
  // The server forgets a backup as soon as it has sent it all, while the Job has yet to put the file in its place.
  if (progress === undefined && before !== undefined) {
    return { phase: "Running", message: "the server has stopped streaming; the Job finishes" };
  }
  if (progress === undefined)
    return { phase: "Running", message: "the server streams no backup at the moment" };
  const { phase, streamed, total } = progress;
  if (total === null || total === 0) return { phase: "Running", message: phase };
  // The log of the backup's own time comes last and is in no estimate: the end is told by the Job alone.
  const estimated = streamed < total;
  return {
    phase: "Running",
    progress: Math.min(0.99, streamed / total),
    message: `${phase}, ${inMegabytes(streamed)} ${estimated ? `of ${inMegabytes(total)}` : "so far"}`,
  };
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}
