// Ending processes for good: a container's process, its group, and descendants that have left the group.
import { readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";

/** The environment variable that marks every process of a cluster's pods with the cluster's directory. */
export const clusterMarker = "XSTATE_CLUSTER_DIRECTORY";

/** The environment variable that marks every process of one instance of a container. */
export const containerMarker = "XSTATE_CONTAINER_ID";

/** Sends a signal to a process group; nothing happens when it is gone. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  send(-leader, signal);
}

/** Ends a group at once, with the descendants of its leader that have made groups of their own. */
export function killGroup(leader: number): void {
  const descendants = descendantsOf(leader);
  send(-leader, "SIGKILL");
  for (const pid of descendants) send(pid, "SIGKILL");
}

/** Ends every process that has this variable in its environment (Linux only; elsewhere none is found). The number of them. */
export function killMarked(name: string, value: string): number {
  const marker = `${name}=${value}`;
  let count = 0;
  for (const pid of processes()) {
    if (pid === process.pid) continue;
    if (!environmentOf(pid).includes(marker)) continue;
    count += 1;
    send(pid, "SIGKILL");
  }
  return count;
}

/** The exit code that shells and container runtimes give an ended process: 128 and the signal's number for a signal. */
export function exitCodeOf(
  code: number | null,
  signal: NodeJS.Signals | null,
): {
  readonly exitCode: number;
  readonly signal?: number;
} {
  if (signal === null) return { exitCode: code ?? 0 };
  const number = constants.signals[signal];
  return { exitCode: 128 + number, signal: number };
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: it has ended meanwhile, which is what was wanted.
  }
}

function descendantsOf(pid: number): number[] {
  let text = "";
  try {
    text = readdirSync(`/proc/${pid}/task`)
      .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8"))
      .join(" ");
  } catch {
    // No /proc, or the process has ended: its group is all we know.
  }
  const children = text.split(/\s+/).filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

function processes(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    // Not Linux.
    return [];
  }
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    // Ended, or another user's.
    return [];
  }
}
