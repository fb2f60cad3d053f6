// Findings as lines that editors and people can follow: place, severity, code, then what and what to do. Pure.
import { Ansis } from "ansis";
import type { RoleReport } from "../../lifecycle/checks/role-report.ts";
import { wrapLine } from "../wrap-line.ts";
import { formatRoles } from "./format-roles.ts";
import type { Problem } from "../../ports/problem.ts";

/** A finding with its place. */
export interface PlacedProblem extends Problem {
  /** The machine's id; the kind or the operator where there is none. */
  readonly machine: string;
  /** `file:line:column`, if it was found. */
  readonly where?: string;
}

/** How many there are of each kind. */
export interface ProblemCount {
  readonly errors: number;
  readonly warnings: number;
}

/** Counts them. */
export function countProblems(problems: readonly Problem[]): ProblemCount {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  return { errors, warnings: problems.length - errors };
}

/** The lines of the findings and a last one that sums them up; `machines` are those that were checked. */
export function formatProblems(
  problems: readonly PlacedProblem[],
  { errors, warnings }: ProblemCount,
  {
    machines,
    roles = [],
    color,
    folder,
    columns = Infinity,
  }: {
    readonly machines: readonly string[];
    /** What is known of the states of each lifecycle. */
    readonly roles?: readonly RoleReport[];
    readonly color: boolean;
    readonly folder: string;
    /** Of the screen; as wide as needed where there is none. */
    readonly columns?: number;
  },
): string {
  const paint = new Ansis(color ? 1 : 0);
  const inside = folder.endsWith("/") ? folder : `${folder}/`;
  const lines = problems.flatMap(({ severity, code, state, machine, where, message, remedy }) => {
    const place = where?.startsWith(inside) === true ? where.slice(inside.length) : where;
    const word = severity === "error" ? paint.red(severity) : paint.yellow(severity);
    const about = state === undefined ? machine : `${machine}: ${state}`;
    const head = [
      ...(place === undefined ? [] : [`${place}:`]),
      word,
      paint.bold(code),
      paint.dim(`(${about})`),
    ];
    return [
      ...wrapLine(head.join(" "), columns, 2),
      ...wrapLine(`  ${message}`, columns, 2),
      ...wrapLine(`  ${paint.dim("do:")} ${remedy}`, columns, 6),
      "",
    ];
  });
  const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? "" : "s"}`;
  const total =
    errors + warnings === 0
      ? "no problems found"
      : `${count(errors, "error")}, ${count(warnings, "warning")}`;
  const tables = roles.flatMap((report) => formatRoles(report, color, columns));
  const last = wrapLine(`${machines.join(", ")}: ${total}`, columns, 2);
  return `${[...tables, ...lines, ...last].join("\n")}\n`;
}
