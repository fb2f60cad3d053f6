// The roles of a lifecycle's states as a table for people, as wide as their screen. Pure.
import { Ansis } from "ansis";
import type { RoleReport } from "../../lifecycle/checks/role-report.ts";
import { wrapLine } from "../wrap-line.ts";

/** The lines about one lifecycle: where it begins and is led, and a row for each state. */
export function formatRoles(report: RoleReport, color: boolean, columns = Infinity): readonly string[] {
  const { machine, initial, end, intervention, defaultTarget, states } = report;
  const paint = new Ansis(color ? 1 : 0);
  const rows = states.map(({ state, role, why, mayBeDesired, whyDesired }) => [
    state,
    role,
    mayBeDesired ? "yes" : "no",
    // Why it may not is in its role, but of a state in which the application may be.
    !mayBeDesired && (role === "stable" || role === "suspended")
      ? `${why}; not to be desired: ${whyDesired}`
      : why,
  ]);
  const widths = [0, 1, 2].map((column) =>
    Math.max(...[heads, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd();
  const facts = [
    `begins in ${initial}`,
    `its default target is ${defaultTarget.state} (${defaultTarget.why})`,
    end === undefined ? "it has no end" : `a deletion leads to ${end}`,
    ...(intervention === undefined ? [] : [`${intervention} waits for a person`]),
  ];
  const reasonsAt = widths.reduce((sum, width) => sum + width + 2, 2);
  const wrapped = (text: string, indent: number): readonly string[] => wrapLine(text, columns, indent);
  // Where no room is left for reasons, each stands below its state.
  const table =
    reasonsAt + 24 <= columns
      ? [paint.dim(line(heads)), ...rows.flatMap((row) => wrapped(line(row), reasonsAt))]
      : rows.flatMap(([state = "", role = "", mayBeDesired, why = ""]) => [
          ...wrapped(`  ${state}: ${role}${mayBeDesired === "yes" ? ", may be desired" : ""}`, 4),
          ...wrapped(paint.dim(`    ${why}`), 4),
        ]);
  return [...wrapped(`${machine}: ${facts.join("; ")}`, 2), ...table, ""];
}

const heads = ["STATE", "ROLE", "MAY BE DESIRED", "WHY"];
