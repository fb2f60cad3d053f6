// The one folder in which the tour keeps everything.
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { locatePrograms, makeReachable, sidecarCommand } from "./programs.ts";

/** Where the tour's things are. */
export interface Workspace {
  readonly folder: string;
  /** Folders in which the commands of the tour's pods are found. */
  readonly programs: readonly string[];
  /** The `postgres` program. */
  readonly postgres: string;
  /** Removes everything. */
  remove(): Promise<void>;
}

/** Makes the folder, in the system's temporary folder. Errors: those of the system; nothing is left behind then. */
export async function createWorkspace(): Promise<Workspace> {
  const folder = await mkdtemp(join(tmpdir(), "xstate-operator-tour-")).catch((cause: unknown) => {
    throw new Error(
      `no folder can be made in ${tmpdir()}; set TMPDIR to one that exists, has room and can be written to`,
      { cause },
    );
  });
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    await chmod(folder, 0o711); // Pods of another user pass through it.
    const programs = await makeReachable(locatePrograms(), join(folder, "programs"));
    const bin = join(folder, "bin");
    await mkdir(bin);
    await chmod(bin, 0o755);
    const sidecar = join(bin, "database-sidecar");
    await writeFile(sidecar, `#!/bin/sh\nexec ${sidecarCommand(programs).map(quote).join(" ")}\n`);
    await chmod(sidecar, 0o755);
    const postgresBin = join(programs.postgresHome, "bin");
    return { folder, programs: [bin, postgresBin], postgres: join(postgresBin, "postgres"), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
