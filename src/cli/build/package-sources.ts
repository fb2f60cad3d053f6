// This package's own files, as a bundler finds them: in a checkout the sources, in an installed package what they were built to.
import { globSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ownFolder, ownSuffix } from "../../ports/own-folder.ts";
import type { PackedParts } from "../../ports/packed-parts.ts";
import { readPackage } from "../package-info.ts";

const src = fileURLToPath(ownFolder);

/** A module below `src`, by its path without suffix. */
export function ownModule(path: string): string {
  return join(src, `${path}.${ownSuffix}`);
}

/** The folder of this package; everything in it is ours but `node_modules`, and in a checkout the examples. */
export const packageRoot: string = readPackage().root;

/** The module behind an entry such as `xstate-operator/client`; undefined when there is no such entry. */
export function entryModule(name: string): string | undefined {
  const { exports } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
  const entry = exports[name.replace("xstate-operator", ".")];
  const path = entry?.[ownSuffix === "ts" ? "xstate-operator-source" : "default"];
  return path === undefined ? undefined : join(packageRoot, path);
}

/** What pages load, as {@link PackedParts} has it. */
export function pageParts(packages: readonly string[]): Omit<PackedParts, "file"> {
  const pages = new Map<string, string>();
  const add = (file: string): void => {
    if (pages.has(file)) return;
    const text = withoutTypes(file, readFileSync(join(src, file), "utf8"));
    pages.set(file, text);
    for (const [, path = ""] of text.matchAll(/\b(?:from|import) "(\.[^"]+)"/g))
      add(join(dirname(file), path));
  };
  for (const file of globSync(`*/browser/**/*.{${ownSuffix},css,svg}`, { cwd: src }).toSorted()) add(file);
  return {
    version: readPackage().version,
    suffix: ownSuffix,
    pages: Object.fromEntries([...pages].map(([file, text]) => [file.replaceAll("\\", "/"), text])),
    packages: Object.fromEntries(
      packages.map((name) => [name, readFileSync(fileURLToPath(import.meta.resolve(name)), "utf8")]),
    ),
  };
}

function withoutTypes(file: string, text: string): string {
  return file.endsWith(".ts") ? stripTypeScriptTypes(text) : text;
}
