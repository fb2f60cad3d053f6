// The roles of a lifecycle's states as a table for people. Pure.
import { Ansis } from "ansis";
import { formatLength } from "../../explain/length.ts";
import type { RoleReport } from "../../lifecycle/checks/role-report.ts";

/** The lines about one lifecycle: where it begins and is led, and a row for each state. */
export function formatRoles(report: RoleReport, color: boolean): readonly string[] {
  const { machine, initial, end, defaultTarget, states } = report;
  const paint = new Ansis(color ? 1 : 0);
  const rows = states.map(({ state, role, why, mayBeDesired, grace }) => [
    state,
    role,
    mayBeDesired ? "yes" : "no",
    grace === undefined ? why : `${why}; grace ${formatLength(grace)}`,
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
  ];
  return [`${machine}: ${facts.join("; ")}`, paint.dim(line(heads)), ...rows.map(line), ""];
}

const heads = ["STATE", "ROLE", "MAY BE DESIRED", "WHY"];
