// Operators that are files of YAML or JSON, wherever the command line takes a module that declares one.
import { existsSync, readFileSync, statSync } from "node:fs";
import { isOperatorText, readOperator, readOperatorText } from "../operator-file/read-operator.ts";
import type { Problem } from "../ports/problem.ts";
import { checkModule, refusedDeclaration, type CheckedDeclaration } from "./check/check-module.ts";
import type { LoadedModule } from "./load-module.ts";

/** Whether a path is a file of data that declares an operator. */
export function isOperatorFile(path: string): boolean {
  if (!/\.(ya?ml|json)$/i.test(path) || !existsSync(path) || statSync(path).isDirectory()) return false;
  return isOperatorText(readFileSync(path, "utf8"), path);
}

/** The file as a module that default-exports the operator. Errors: those of `readOperator`. */
export function loadOperatorFile(file: string): LoadedModule {
  return { file, exports: { default: readOperator(file) } };
}

/** What is wrong with an operator that is a file, each with its place. */
export function checkOperatorFile(file: string): readonly CheckedDeclaration[] {
  const { problems: placed } = readOperatorText(readFileSync(file, "utf8"), file);
  const withPlace = (problem: Problem): Problem =>
    placed.find(({ code, message }) => code === problem.code && message === problem.message) ?? problem;
  try {
    return checkModule(loadOperatorFile(file)).map((checked) => ({
      ...checked,
      problems: checked.problems.map(withPlace),
    }));
  } catch (error: unknown) {
    const refused = refusedDeclaration(error);
    if (refused === undefined) throw error;
    return [{ ...refused, id: "the operator" }];
  }
}
