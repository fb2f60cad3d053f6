// The condition `LifecycleProblem`: what keeps the operator from doing what it has decided, and what to do about it. It is
// there only while there is something. Written by cycle.ts, read back by explain.
import { findCondition, type Condition, type NewCondition } from "../../meta/condition.ts";
import { placedMessage, type Problem } from "../../ports/problem.ts";

/** Type of the condition. */
export const problemCondition = "LifecycleProblem";

const beforeRemedy = ". What to do: ";
const longestMessage = 2_048;

/** The problems that keep something from being done. */
export function errorsIn(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(({ severity }) => severity === "error");
}

/** The condition; undefined where nothing is wrong. The first problem's code is its reason. */
export function problemConditionOf(
  problems: readonly Problem[],
  observedGeneration: number,
): NewCondition | undefined {
  const errors = errorsIn(problems);
  const [first] = errors;
  if (first === undefined) return undefined;
  const messages = [...new Set(errors.map(placedMessage))];
  return {
    type: problemCondition,
    status: "True",
    reason: toReason(first.code),
    message: `${messages.join("; ")}${beforeRemedy}${first.remedy}`.slice(0, longestMessage),
    observedGeneration,
  };
}

/** What a stored condition says, and what to do about it; undefined where nothing is wrong. */
export function readProblem(
  conditions: readonly Condition[],
): { readonly message: string; readonly remedy?: string } | undefined {
  const condition = findCondition(conditions, problemCondition);
  if (condition?.status !== "True") return undefined;
  const { message } = condition;
  const at = message.lastIndexOf(beforeRemedy);
  if (at < 0) return { message };
  return { message: message.slice(0, at), remedy: message.slice(at + beforeRemedy.length) };
}

/** `SNAPSHOT_INVALID` as one PascalCase word. */
export function toReason(code: string): string {
  return code
    .split("_")
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join("");
}
