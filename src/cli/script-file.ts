// Paths that stand for a module by their names alone. Apart from module-file.ts: to read operators that are data takes half a megabyte of
// code, which no start of another one loads.
import { existsSync, statSync } from "node:fs";
import { extname, join } from "node:path";

/** How the names of modules end that Node loads. */
export const scriptEndings: ReadonlySet<string> = new Set([".ts", ".mts", ".js", ".mjs", ".cjs", ".cts"]);

/** The module that a path names, or that a folder has; undefined when it is something else, or nothing. */
export function scriptFile(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  if (!statSync(path).isDirectory()) return scriptEndings.has(extname(path)) ? path : undefined;
  return ["operator.ts", "operator.js"].map((name) => join(path, name)).find((each) => existsSync(each));
}
