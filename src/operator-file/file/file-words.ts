// Findings that are made for authors of TypeScript, in the words of a file: what there is a function or an option of one there is a field here.
import type { Problem } from "../../ports/problem.ts";

/** What is said of a declaration in TypeScript, and the same of a file. */
const words: readonly (readonly [said: RegExp, here: string])[] = [
  [/, which the setup does not list/g, ", which is not among the tasks"],
  [/The tasks of the setup are/g, "Tasks are"],
  [
    /Give defineKind a lifecycle, or leave the option out\./g,
    "Write lifecycle: { initial: …, states: … }, or leave it out.",
  ],
  [/Give defineController an application with observe\./g, "Write observe: { states: … }."],
  [/Give it one controller for each kind, made by defineController\./g, "Write each kind once."],
  [/the operator "([^"]*)" has no controller/g, 'the operator "$1" has no kind'],
  [/has two controllers of/g, "has two kinds"],
  [
    /Write both functions: versions: \{ (\S+): \{ spec, convert: \{ up, down \} \} \}\./g,
    "Write versions: { $1: { spec: …, convert: { up: …, down: … } } }.",
  ],
  [/application\.actions/g, "effects"],
  [/application\.tasks/g, "tasks"],
  [/application\.observe/g, "observe"],
  [/Make it: setupLifecycle\(\)\.createMachine\(\{ … \}\)\./g, "Write lifecycle: { initial: …, states: … }."],
  [/or raise `snapshotBudget` in defineKind/g, "or keep it in an object of its own"],
  [/defineKind, or/g, "the kind, or"],
  [/\bdefine(?:Kind|Controller|Operator)\b/g, "the file"],
  [/\b(?:createMachine|setupLifecycle)\b/g, "the lifecycle"],
];

/** A finding as an author of a file reads it. */
export function inFileWords(problem: Problem): Problem {
  const said = (text: string): string => words.reduce((all, [from, to]) => all.replaceAll(from, to), text);
  return { ...problem, message: said(problem.message), remedy: said(problem.remedy) };
}
