// Writes generated files: none before it is clear that all can be written, and nothing over what somebody else has written.
import { constants } from "node:fs";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf, OperatorError } from "../ports/operator-error.ts";

/** A file that is to be written. */
export interface PlannedFile {
  /** Absolute path. */
  readonly path: string;
  readonly text: string;
  /** What is there now; it is kept beside the new file when `backup` is set. */
  readonly old?: string;
  readonly backup?: boolean;
}

/** What became of a file. */
export interface WrittenFile {
  readonly path: string;
  readonly outcome: "written" | "updated" | "unchanged";
  /** Where the old one is. */
  readonly backup?: string;
}

/** The text of a file, or undefined when there is none. Errors: `FILE_UNREADABLE`. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error: unknown) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new OperatorError("FILE_UNREADABLE", `${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
      remedy: "Check the path and its permissions.",
    });
  }
}

/** Writes them in order. Errors: `FILE_NOT_WRITTEN`. */
export async function writeFiles(files: readonly PlannedFile[]): Promise<readonly WrittenFile[]> {
  const written: WrittenFile[] = [];
  for (const { path, text, old, backup = false } of files) {
    if (old === text) {
      written.push({ path, outcome: "unchanged" });
      continue;
    }
    try {
      await mkdir(dirname(path), { recursive: true });
      const kept = old === undefined || !backup ? undefined : await keep(path);
      // `wx`: what somebody has made since we looked is not written over.
      await writeFile(path, text, { flag: old === undefined ? "wx" : "w" });
      written.push({
        path,
        outcome: old === undefined ? "written" : "updated",
        ...(kept === undefined ? {} : { backup: kept }),
      });
    } catch (error: unknown) {
      throw new OperatorError("FILE_NOT_WRITTEN", `${path} cannot be written: ${messageOf(error)}`, {
        cause: error,
        remedy: "Choose a folder that you may write to.",
      });
    }
  }
  return written;
}

/** Copies a file to the first of `.bak`, `.bak.1`, … that is free. */
async function keep(path: string): Promise<string> {
  for (let number = 0; ; number += 1) {
    const target = `${path}.bak${number === 0 ? "" : `.${number}`}`;
    try {
      await copyFile(path, target, constants.COPYFILE_EXCL);
      return target;
    } catch (error: unknown) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}
