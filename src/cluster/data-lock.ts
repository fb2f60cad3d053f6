// One cluster at a time may write to a folder: a file names the process that does. One whose process has ended holds nobody up.
import { readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "../ports/operator-error.ts";

/** Takes the folder; the returned function gives it back. **Errors**: `CLUSTER_DATA_IN_USE`. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, "lock");
  const own = `${process.pid} ${beginOf(process.pid)}`;
  for (;;) {
    try {
      await writeFile(path, own, { flag: "wx", mode: 0o600 });
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const [pid = 0, begin = ""] = contentOf(path).split(" ");
    if (isAlive(Number(pid)) && beginOf(Number(pid)) === begin) {
      throw new OperatorError("CLUSTER_DATA_IN_USE", `${folder} is in use by the cluster of process ${pid}`, {
        remedy: "Stop that cluster, or choose another folder.",
      });
    }
    await rm(path, { force: true });
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
