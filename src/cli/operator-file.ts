// Operators that are files of YAML or JSON, wherever the command line takes a module that declares one.
import { existsSync, readFileSync, statSync } from "node:fs";
import { isOperatorText } from "../operator-file/file/file-reader.ts";

/** Whether a path is a file of data that declares an operator. */
export function isOperatorFile(path: string): boolean {
  if (!/\.(ya?ml|json)$/i.test(path) || !existsSync(path) || statSync(path).isDirectory()) return false;
  return isOperatorText(readFileSync(path, "utf8"), path);
}
