// Where a command's executable is: in the folders of podPath first, then in PATH.
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { ContainerStartError } from "../container-backend.ts";

/**
 * The absolute path of a command. A name with a slash is taken as it is, relative to `workingFolder`; but when an absolute
 * path is not there, its last part is looked up, as `/usr/bin/postgres` of an image is wherever this machine has `postgres`.
 * Errors: `ContainerStartError` (StartError) that lists the folders searched.
 */
export async function findCommand(
  command: string,
  folders: readonly string[],
  workingFolder: string,
): Promise<string> {
  if (command.includes("/")) {
    const path = isAbsolute(command) ? command : join(workingFolder, command);
    if (await isExecutable(path)) return path;
  }
  const name = command.slice(command.lastIndexOf("/") + 1);
  if (isAbsolute(command) || !command.includes("/")) {
    for (const folder of folders) {
      const path = join(folder, name);
      if (await isExecutable(path)) return path;
    }
  }
  throw new ContainerStartError(
    "StartError",
    `exec: "${command}": executable file not found in ${folders.join(delimiter)}`,
    { remedy: "Install the command, or name its folder in podPath of the cluster's options." },
  );
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // Not there, or not ours to run: look further.
    return false;
  }
}
