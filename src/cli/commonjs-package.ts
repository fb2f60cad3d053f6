// A module that is written with import and export, in a package that says it has none: Node would warn, and then blame an import.
import { readFileSync } from "node:fs";
import { findPackageJSON, stripTypeScriptTypes } from "node:module";
import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import { compileFunction } from "node:vm";
import { OperatorError } from "../ports/operator-error.ts";

/** Refuses a module that Node would read as CommonJS although it is none. Errors: `MODULE_SYNTAX`. */
export function refuseCommonJs(file: string): void {
  const ending = extname(file);
  if (ending !== ".ts" && ending !== ".js") return;
  const manifest = findPackageJSON(pathToFileURL(file));
  if (manifest === undefined || typeIn(manifest) !== "commonjs") return;
  const row = rowOfModuleSyntax(file);
  if (row === undefined) return;
  throw new OperatorError(
    "MODULE_SYNTAX",
    `${file} uses import and export, but ${manifest} says that its modules are CommonJS`,
    {
      fields: { where: `${file}:${row}` },
      remedy: `Write "type": "module" in ${manifest} in place of "type": "commonjs", or let the file's name end in .m${ending.slice(1)}.`,
    },
  );
}

function typeIn(manifest: string): unknown {
  try {
    return (JSON.parse(readFileSync(manifest, "utf8")) as { readonly type?: unknown }).type;
  } catch {
    // Node says itself what is wrong with it.
    return undefined;
  }
}

/** The row of what only a module may have, found as Node does: by compiling the text as CommonJS. */
function rowOfModuleSyntax(file: string): number | undefined {
  try {
    const text = readFileSync(file, "utf8");
    compileFunction(extname(file) === ".ts" ? stripTypeScriptTypes(text) : text, [], { filename: file });
  } catch (error) {
    const { message, stack = "" } = error as Error;
    if (!/import statement outside a module|Unexpected token 'export'|'import\.meta'/.test(message))
      return undefined;
    return Number(/:(\d+)\n/.exec(stack)?.[1] ?? 1);
  }
  return undefined;
}
