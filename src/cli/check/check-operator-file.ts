// The checks of an operator that is a file: what its reader finds, and what is checked of every declaration.
import { readFileSync } from "node:fs";
import { readOperatorText } from "../../operator-file/parts/read-operator.ts";
import type { Problem } from "../../ports/problem.ts";
import { checkLiterals } from "./check-literals.ts";
import { checkModule, type CheckedDeclaration } from "./check-module.ts";

/** What is wrong with the operator of a file, each with its place. */
export async function checkOperatorFile(file: string): Promise<readonly CheckedDeclaration[]> {
  const { operator, objects, problems: placed } = readOperatorText(readFileSync(file, "utf8"), file);
  if (operator !== undefined) checkLiterals(operator, objects);
  const isWrong = placed.some(({ severity }) => severity === "error");
  if (operator === undefined || isWrong) return [{ id: "the operator", subject: {}, problems: placed }];
  const withPlace = (problem: Problem): Problem =>
    placed.find(({ code, message }) => code === problem.code && message === problem.message) ?? problem;
  const declarations = await checkModule({ file, exports: { default: operator } });
  return declarations.map((checked) => ({
    ...checked,
    problems: checked.problems.map(withPlace),
  }));
}
