// One cluster at a time may use a folder: a file in it names the process that does. One whose process has ended holds nobody up.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { OperatorError } from "../ports/operator-error.ts";
import { remedyInFolder, whyOf } from "./make-folder.ts";

/** What a folder is for, as the refusal says it. */
export type LockedFolder = "CLUSTER_DATA_IN_USE" | "CLUSTER_FOLDER_IN_USE";

/**
 * Takes the folder; the returned function gives it back.
 *
 * **Guarantees**: of processes that try at the same time one gets it, also after one that has ended without giving it back.
 * **Errors**: `code` when a cluster has it; `FILE_NOT_WRITTEN`.
 */
export async function lockFolder(folder: string, code: LockedFolder): Promise<() => Promise<void>> {
  const path = join(folder, "lock");
  const own = `${path}.${randomUUID()}`;
  try {
    // Its content is there before it has its name: a lock without one would be taken for that of a process that has ended.
    await writeFile(own, `${process.pid} ${beginOf(process.pid)}`, { flag: "wx", mode: 0o600 });
    for (let tries = 0; !(await isTaken(own, path)); tries += 1) {
      const holder = contentOf(path);
      const [pid = 0, begin = ""] = holder.split(" ");
      if (isAlive(Number(pid)) && beginOf(Number(pid)) === begin) {
        throw new OperatorError(code, `${folder} is in use by the cluster of process ${pid}`, {
          fields: { folder, pid: Number(pid) },
          remedy: "Stop that cluster, or choose another folder.",
        });
      }
      if (await hasReplaced(path, own, holder, tries)) break;
      await setTimeout(5);
    }
    return () => rm(path, { force: true });
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError("FILE_NOT_WRITTEN", `the lock of ${folder} cannot be written: ${whyOf(error)}`, {
      cause: error,
      fields: { path },
      remedy: remedyInFolder(error),
    });
  } finally {
    await rm(own, { force: true });
  }
}

/** Gives a file a second name, unless something else has it. */
async function isTaken(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** How often a process that replaces the lock is waited for; one that ended meanwhile holds nobody up. */
const mostTries = 1_000;

/** Puts a lock in the place of one that was left. Whoever gives that a second name, which one alone can, may do so: it is never away meanwhile. */
async function hasReplaced(path: string, own: string, left: string, tries: number): Promise<boolean> {
  const claim = `${path}.left-${Buffer.from(left).toString("hex").slice(0, 100)}`;
  try {
    await link(path, claim);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EEXIST" && code !== "ENOENT") throw error;
    if (tries > mostTries) await rm(claim, { force: true });
    return false;
  }
  try {
    if (contentOf(claim) !== left) return false;
    await rename(own, path);
    return true;
  } finally {
    await rm(claim, { force: true });
  }
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // It has just been given back.
    return "";
  }
}

function isAlive(pid: number): boolean {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** When a process began, as Linux counts it: numbers of processes are given again. Elsewhere nothing. */
function beginOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
