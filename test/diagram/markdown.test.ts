import { describe, expect, it } from "vitest";
import { applicationLifecycle } from "../../machines/lifecycle-machine.ts";
import { toMarkdown } from "../../src/diagram/markdown.ts";
import { readGraph } from "../../src/statechart/graph.ts";
import { shopLifecycle } from "../testing/shop-lifecycle.ts";
import { everyEdge, oddNames } from "./machine-fixtures.ts";

/** The rows of the table below a heading, as cells; the head first. */
function rowsOf(page: string, head: string): string[][] {
  const lines = page.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${head} |`));
  const end = lines.findIndex((line, at) => at > start && !line.startsWith("|"));
  return lines.slice(start, end === -1 ? undefined : end).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}

describe("a page of a lifecycle", () => {
  const graph = readGraph(applicationLifecycle);
  const page = toMarkdown(graph);

  it("says what it is, and draws it", () => {
    expect(page).toMatch(
      /^# application\n\nVersion 1\.\n\nStart, run, service, stop\.\n\n```mermaid\nstateDiagram-v2\n/,
    );
    expect(page).toContain("A life begins in `Start`; `Running` is the default desired state.");
    expect(page).toContain("Deleting the resource sets the target to `End`.");
  });

  it("has a row for each state, with its kind, tasks, timers and what may be desired", () => {
    const [head, , ...rows] = rowsOf(page, "state");
    expect(head).toEqual(["state", "kind", "may be desired", "tasks", "timers", "description"]);
    expect(rows).toHaveLength(graph.nodes.length);
    expect(rows[1]).toEqual(["`Running`", "stable", "yes", "", "", "The application is running."]);
    expect(rows[0]?.slice(0, 5)).toEqual(["`Start`", "initial", "", "", "`startTimeout`"]);
    expect(rows[2]?.slice(0, 4)).toEqual(["`Servicing`", "transient", "yes", "`service`"]);
    expect(rows.at(-1)?.slice(0, 3)).toEqual(["`End`", "final", "yes"]);
  });

  it("has a row for each edge, with who takes it", () => {
    const [head, , ...rows] = rowsOf(page, "from");
    expect(head).toEqual(["from", "event", "to", "by"]);
    expect(rows).toHaveLength(graph.edges.length);
    expect(rows).toContainEqual([
      "`Start`",
      "`observed.Running`",
      "`Running`",
      "the application, as observed",
    ]);
    expect(rows).toContainEqual(["`Servicing`", "`human.abort`", "`Running`", "a person"]);
    expect(rows).toContainEqual(["`Start`", "`after.startTimeout`", "`HumanIntervention`", "time"]);
  });

  it("lists conditions and Events, one condition for each region", () => {
    const shop = toMarkdown(readGraph(shopLifecycle));
    const conditions = rowsOf(shop, "condition").map(([name]) => name);
    expect(conditions.slice(2)).toEqual([
      "`Lifecycle`",
      "`Lifecycle.Open.Counter`",
      "`Lifecycle.Open.Kitchen`",
    ]);
    const events = rowsOf(shop, "Event").map(([name]) => name);
    expect(events).toEqual(expect.arrayContaining(["`StateChanged`", "`TaskFailed`", "`HumanEventRefused`"]));
    expect(rowsOf(shop, "from")).toContainEqual(
      expect.arrayContaining(["`Open:Counter:Busy`", "`always`", "`isBig`", "`Open:Counter:Crowded`"]),
    );
  });
});

describe("a page of any machine", () => {
  it("leaves out what only lifecycles have", () => {
    const page = toMarkdown(readGraph(oddNames));
    expect(rowsOf(page, "state")[0]).toEqual(["state", "kind"]);
    expect(rowsOf(page, "from")[0]).toEqual(["from", "event", "to"]);
    expect(page).not.toContain("target");
    expect(page).not.toContain("## What it reports");
  });

  it("says of an edge where it leads when it stays or begins anew, and what it does", () => {
    const rows = rowsOf(toMarkdown(readGraph(everyEdge)), "from");
    const of = (event: string) => rows.find((row) => row[1] === `\`${event}\``) ?? [];
    expect(of("note")[3]).toBe("stays");
    expect(of("again")[3]).toBe("`Idle`; entered again");
    expect(of("go")).toContain("`count`, `log`");
    expect(of("human.stop")[0]).toBe("any state");
  });

  it("keeps its tables whole, whatever the names are", () => {
    const page = toMarkdown(readGraph(oddNames));
    for (const head of ["state", "from"]) {
      const [first, ...rows] = rowsOf(page, head);
      for (const row of rows) expect(row).toHaveLength(first?.length ?? 0);
    }
    expect(rowsOf(page, "state").slice(2)).toHaveLength(readGraph(oddNames).nodes.length);
    expect(rowsOf(page, "from").slice(2)).toHaveLength(readGraph(oddNames).edges.length);
  });
});
