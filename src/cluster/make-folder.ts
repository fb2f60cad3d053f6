// Makes a folder and those above it, one by one. Node's own recursive mkdir never ends where an existing folder denies that
// it has entries of a name, as /proc does.
import { mkdir, mkdtemp, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { messageOf, OperatorError } from "../ports/operator-error.ts";

/** Makes the folder unless it is there. Errors: `FOLDER_NOT_MADE`. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeWithParents(path);
  } catch (error) {
    throw new OperatorError("FOLDER_NOT_MADE", `the folder ${path} cannot be made: ${messageOf(error)}`, {
      cause: error,
      fields: { path },
      remedy: "Choose a folder that you may write to, on a file system that takes new folders.",
    });
  }
}

/** Makes a new folder among the system's temporary ones, whose name begins with `prefix`. Errors: `FOLDER_NOT_MADE`. */
export async function makeTemporaryFolder(prefix: string): Promise<string> {
  const path = tmpdir();
  try {
    return await mkdtemp(join(path, prefix));
  } catch (error) {
    throw new OperatorError(
      "FOLDER_NOT_MADE",
      `no temporary folder can be made in ${path}: ${whyOf(error)}`,
      {
        cause: error,
        fields: { path },
        remedy: remedyInFolder(error),
      },
    );
  }
}

/** Why the system refuses to write, for people: Node's message names the call and a path that nobody knows. */
export function whyOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return (code === undefined ? undefined : reasons[code]) ?? messageOf(error);
}

/** What to do when something cannot be written into a folder. */
export function remedyInFolder(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const isFull = code === "ENOSPC" || code === "EDQUOT";
  const first = isFull ? "Free space there" : code === "ENOENT" ? "Make it" : "Make it writable";
  return `${first}, or use another folder; the environment variable TMPDIR names the one for temporary files.`;
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "this user may not write there (EACCES)",
  EDQUOT: "this user's quota is used up (EDQUOT)",
  ENOENT: "there is no such folder (ENOENT)",
  ENOSPC: "the file system is full (ENOSPC)",
  ENOTDIR: "it is not a folder (ENOTDIR)",
  EPERM: "the system forbids it (EPERM)",
  EROFS: "the file system is read-only (EROFS)",
};

async function makeWithParents(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || parent === path) throw error;
    await makeWithParents(parent);
    await makeOne(path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST" && (await stat(path)).isDirectory();
    if (!isThere) throw error;
  }
}
