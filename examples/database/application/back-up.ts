// The task behind Servicing: a base backup of the live server, taken by a Kubernetes Job, so that it goes on when the
// operator dies.
import { jobTask, type JobManifest } from "xstate-operator/jobs";
import { isJobComplete } from "xstate-operator/kinds";
import type { CompensationCall, HookContext, TaskCall, TaskObservation } from "xstate-operator";
import type { Job } from "xstate-operator/kinds";
import { backupJob } from "../backup/backup-job.ts";
import type { Database } from "../database.ts";
import { messageOf, ServerUnreachable, withConnection } from "../postgres/connection.ts";
import {
  askBackupProgress,
  endBackups,
  readBackupMarker,
  type BackupProgress,
} from "../postgres/questions.ts";
import { serverAddress } from "./server-address.ts";

type Call = HookContext<Database> & TaskCall;

/** Takes one base backup; its output is the backup's marker. */
export const backUp = jobTask<Database>({
  job: jobOfBackup,
  observe: observeBackup,
  compensate: endStreams,
  timeout: "2h",
  retry: { attempts: 3, delay: "10s" },
  poll: "1s",
});

function jobOfBackup(call: Call): JobManifest {
  const address = serverAddress(call);
  if (address === undefined) throw new Error("there is no server to back up");
  return backupJob(call.cr, { key: call.key, host: address.host });
}

async function observeBackup(call: Call, job: Job): Promise<TaskObservation> {
  const address = serverAddress(call);
  if (address === undefined) return { phase: "Running", message: "the server is away" };
  try {
    return await withConnection(address, call.signal, async (client) => {
      if (!isJobComplete(job)) return progressOf(await askBackupProgress(client), call.progress);
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

/**
 * After the last attempt has failed, or the backup was called off: the server writes on until it notices that the Job's
 * program is gone, which takes hours when its node is. The half archive is cleared away by the next backup.
 */
async function endStreams(call: Call & CompensationCall): Promise<void> {
  const address = serverAddress(call);
  if (address === undefined) return; // A server that is gone writes nothing.
  try {
    await withConnection(address, call.signal, (client) => endBackups(client, call.keys));
  } catch (error) {
    if (!(error instanceof ServerUnreachable) || !error.isDown) throw error;
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
  // The log of the backup's own time comes last and is in no estimate: the end is reported by the Job alone.
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
