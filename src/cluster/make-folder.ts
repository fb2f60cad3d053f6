// Makes a folder and those above it, one by one. Node's own recursive mkdir never ends where an existing folder denies that
// it has entries of a name, as /proc does.
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
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
