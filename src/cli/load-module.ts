// Imports a module that the user named, and turns everything that can go wrong into a sentence with file and line.
import { spawnSync } from "node:child_process";
import { setSourceMapsSupport } from "node:module";
import { pathToFileURL } from "node:url";
import { refuseCommonJs } from "./commonjs-package.ts";
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import { refusalCodeOf } from "./refusal-code.ts";
import { scriptFile } from "./script-file.ts";
import { sourceLineOf } from "./source-line.ts";

/** A module that was imported. */
export interface LoadedModule {
  /** Absolute path of the file. */
  readonly file: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

/**
 * Imports a module by absolute path; a folder stands for the `operator.ts` in it. A file of YAML that declares an
 * operator is one that default-exports it.
 *
 * **Errors**: `MODULE_MISSING`, `MODULE_UNSUPPORTED` (no script), `MODULE_SYNTAX` (also TypeScript that cannot be run
 * without a compiler, and modules of a package that says `"type": "commonjs"`), `MODULE_IMPORT` (something it imports is missing), `MODULE_FAILED` (it throws while loading), or the code of a
 * declaration that is refused, such as `KIND_INVALID`.
 */
export async function loadModule(path: string): Promise<LoadedModule> {
  const file = scriptFile(path);
  if (file === undefined) {
    // With CEL and all that reads schemas.
    const { moduleFile } = await import("./module-file.ts");
    const data = moduleFile(path);
    const { readOperator } = await import("../operator-file/parts/read-operator.ts");
    return { file: data, exports: { default: readOperator(data) } };
  }
  refuseCommonJs(file);
  const { stackTraceLimit } = Error;
  // Deep inside a dependency the line of the author's own is further down than Node looks.
  Error.stackTraceLimit = 100;
  // A compiled module says where it fails in its source.
  setSourceMapsSupport(true, { nodeModules: false });
  try {
    const exports = (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
    return { file, exports };
  } catch (error: unknown) {
    throw explain(file, error);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function explain(file: string, error: unknown): OperatorError {
  const code = (error as { code?: unknown } | null)?.code;
  const where = error instanceof Error ? sourceLineOf(error) : undefined;
  const fail = (name: string, message: string, remedy: string): OperatorError =>
    new OperatorError(name, message, { cause: error, remedy, fields: { where: where ?? file } });
  if (code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") {
    return fail(
      "MODULE_SYNTAX",
      `${file} uses TypeScript syntax that needs a compiler: ${firstLineOf(error)}`,
      "Node only strips types: do not use enum, namespace or parameter properties (tsconfig: erasableSyntaxOnly).",
    );
  }
  if (code === "ERR_INVALID_TYPESCRIPT_SYNTAX" || error instanceof SyntaxError) {
    return new OperatorError("MODULE_SYNTAX", `${file} cannot be read: ${firstLineOf(error)}`, {
      cause: error,
      remedy: "Correct the line named above.",
      fields: { where: where ?? syntaxErrorLine(file) ?? file },
    });
  }
  if (code === "ERR_MODULE_NOT_FOUND" || code === "ERR_PACKAGE_PATH_NOT_EXPORTED") {
    return fail(
      "MODULE_IMPORT",
      `an import of ${file} cannot be resolved: ${firstLineOf(error)}`,
      "Install the package, or correct the import; a relative import needs the file extension (./database.ts).",
    );
  }
  return fail(
    refusalCodeOf(error) ?? "MODULE_FAILED",
    `${file} failed to load: ${messageOf(error)}`,
    remedyOf(error),
  );
}

/** The line of a syntax error in JavaScript, which the error itself does not tell: Node prints it for `--check` only. */
function syntaxErrorLine(file: string): string | undefined {
  const { stderr } = spawnSync(process.execPath, ["--check", file], { encoding: "utf8" });
  const [head = ""] = stderr.split("\n");
  return head.startsWith(file) ? head : undefined;
}

/** An error of ours knows its remedy; for another one only the place is known. */
function remedyOf(error: unknown): string {
  const remedy = (error as { remedy?: unknown } | null)?.remedy;
  return typeof remedy === "string" ? remedy : "Check the line named above.";
}

/** Node puts an excerpt of the code below the sentence of a syntax error. */
function firstLineOf(error: unknown): string {
  const lines = messageOf(error)
    .split("\n")
    .map((line) => line.trim());
  return lines.find((line) => line !== "" && !/^[|,`x─╭╰·]|^[-^]+$/.test(line))?.replace(/^x\s+/, "") ?? "";
}
