// Where a new project goes: a folder of its own, and where it gets this package from.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { OperatorError } from "../ports/operator-error.ts";
import { readPackage } from "./package-info.ts";
import { shellWord } from "./shell-word.ts";

/** Nothing is written into what somebody else has made; a repository without files is empty. Errors: `FOLDER_NOT_EMPTY`. */
export function refuseFull(folder: string): void {
  if (!existsSync(folder)) return;
  const isFolder = statSync(folder).isDirectory();
  const found = isFolder ? readdirSync(folder).filter((file) => file !== ".git") : [];
  if (isFolder && found.length === 0) return;
  throw new OperatorError(
    "FOLDER_NOT_EMPTY",
    isFolder
      ? `the folder ${folder} is not empty: it has ${found.slice(0, 3).join(", ")}${found.length > 3 ? ", …" : ""}`
      : `${folder} is a file`,
    {
      remedy: existsSync(join(folder, "operator.ts"))
        ? "It has an operator: add a kind to it with `xstate-operator create api`, or name another folder."
        : "Name another folder; nothing was written.",
    },
  );
}

/** Where the project gets this package from: as the project that runs this command does, else this version, or this checkout. */
export function packageSpecFor(folder: string): string {
  const { root, version } = readPackage();
  const holder = dirname(root);
  if (basename(holder) !== "node_modules") return `file:${relative(folder, root) || "."}`;
  const manifest = join(dirname(holder), "package.json");
  if (existsSync(manifest)) {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(manifest, "utf8")) as Record<
      string,
      Readonly<Record<string, string>> | undefined
    >;
    const spec = { ...devDependencies, ...dependencies }["xstate-operator"];
    if (spec?.startsWith("file:") === true) {
      return `file:${relative(folder, join(dirname(holder), spec.slice("file:".length)))}`;
    }
    if (spec !== undefined) return spec;
  }
  return `^${version}`;
}

/** What its author types next. */
export function nextLines(folder: string, ...commands: readonly string[]): string {
  const lines = [`cd ${shellWord(folder)}`, ...commands];
  return `Next:\n${lines.map((line) => `  ${line}\n`).join("")}`;
}
