// Which file a path that the user typed stands for: a module, or an operator that is data.
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../ports/operator-error.ts";
import { isOperatorFile } from "./operator-file.ts";
import { scriptEndings, scriptFile } from "./script-file.ts";

/** The file that `loadModule` loads. Errors: `MODULE_MISSING`, `MODULE_UNSUPPORTED`. */
export function moduleFile(path: string): string {
  const script = scriptFile(path);
  if (script !== undefined) return script;
  if (!existsSync(path)) {
    throw new OperatorError("MODULE_MISSING", `there is no file ${path}`, {
      remedy: "Check the path; it is relative to the current directory.",
    });
  }
  const file = statSync(path).isDirectory() ? join(path, "operator.yaml") : path;
  if (!existsSync(file)) {
    throw new OperatorError("MODULE_MISSING", `the folder ${path} has no operator.ts`, {
      remedy: "Name the file itself.",
    });
  }
  if (isOperatorFile(file)) return file;
  throw new OperatorError(
    "MODULE_UNSUPPORTED",
    `${file} is not a TypeScript or JavaScript file, and no operator in YAML`,
    {
      remedy: `Name a file that ends in ${[...scriptEndings].join(", ")}, or a file of YAML with operator and kinds.`,
    },
  );
}
