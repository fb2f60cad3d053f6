// The package as npm publishes it, in a project of somebody else: built, with the files that package.json names and with no
// package but its dependencies.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CodeBlock } from "../docs/code-blocks.ts";

const root = join(import.meta.dirname, "../..");

interface PackageFile {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** A project that has the package installed. */
export interface Project {
  readonly path: (name: string) => string;
  /** What can be imported of it, as `xstate-operator/client`. */
  readonly entries: readonly string[];
  /** The command's own file. */
  readonly command: string;
  readonly remove: () => void;
}

/** Builds the package and puts it into a new project with these files. */
export function installBuilt(sources: readonly CodeBlock[]): Project {
  const folder = mkdtempSync(join(tmpdir(), "xstate-operator-built-"));
  const { exports, files, dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  ) as PackageFile;
  const checkout = join(folder, "checkout");
  const inputs = ["src", "machines", "build", "package.json", "tsconfig.json", "tsconfig.browser.json"];
  for (const input of [...inputs, "tsconfig.build.json"]) {
    cpSync(join(root, input), join(checkout, input), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"));
  const { status, stderr } = spawnSync(process.execPath, ["build/prepare.js"], {
    cwd: checkout,
    env: { npm_command: "pack", INIT_CWD: checkout },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the package cannot be built: ${stderr}`);

  const modules = join(folder, "project", "node_modules");
  const installed = join(modules, "xstate-operator");
  for (const file of ["package.json", ...files]) {
    cpSync(join(file === "dist" ? checkout : root, file), join(installed, file), { recursive: true });
  }
  for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), "zod", "rolldown"]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  const path = (name: string): string => join(folder, "project", name);
  writeFileSync(path("package.json"), JSON.stringify({ type: "module" }));
  for (const { file, text } of sources) writeFileSync(path(file), text);
  return {
    path,
    entries: Object.keys(exports).map((entry) => join("xstate-operator", entry)),
    command: join(installed, "bin", "xstate-operator.js"),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
