// An explanation as text for people: what matters first, columns where there are several, plain when it is piped. Pure.
import { describeLast } from "../../lifecycle/reporting/move-text.ts";
import { Ansis } from "ansis";
import type {
  AwaitedEdge,
  ExplainedReplica,
  Explanation,
  ExplainedTask,
  ExplainedTimer,
} from "../../explain/explanation.ts";
import { formatLength } from "../../explain/length.ts";
import { findCondition } from "../../meta/condition.ts";
import type { JournalCause } from "../../ports/run-journal.ts";
import { visibleIn } from "../visible-text.ts";
import { columnsOf, wrapLine } from "../wrap-line.ts";

/** Options of {@link formatExplanation}. */
export interface ExplanationFormat {
  readonly color: boolean;
  /** Milliseconds since the epoch: ages are counted from it. */
  readonly now: number;
  /** Of the screen: no line is wider; default as wide as it comes. */
  readonly columns?: number;
}

/** The head, or what has a title, which is its first line. */
export interface ExplanationPart {
  readonly title: string;
  readonly lines: readonly string[];
}

/** The lines; ends with a line break. */
export function formatExplanation(explanation: Explanation, format: ExplanationFormat): string {
  const parts = explanationParts(explanation, format).map(({ lines }) => lines.join("\n"));
  return `${parts.join("\n\n")}\n`;
}

/** The same, part by part; without those that have nothing to say. */
export function explanationParts(
  given: Explanation,
  { color, now, columns = Number.POSITIVE_INFINITY }: ExplanationFormat,
): readonly ExplanationPart[] {
  // Before anything is measured: what is shown as an escape is wider.
  const explanation = visibleIn(given);
  const paint = new Ansis(color ? 1 : 0);
  const inner = Math.max(columns - margin.length, 1);
  const table = (rows: readonly (readonly string[])[]): readonly string[] => tableOf(rows, inner);
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ["Blocked by", blockerLines(explanation, paint)],
    ["Waits for", table(explanation.awaited.map((edge) => awaitedRow(edge, paint)))],
    ["Plan", planLines(explanation)],
    ["Tasks", table(explanation.tasks.map(taskRow))],
    ["Timers", table(explanation.timers.map((timer) => timerRow(timer, explanation.paused !== undefined)))],
    ["Accepts", explanation.accepted.length === 0 ? [] : [explanation.accepted.join(", ")]],
    ["Conditions", table(conditionRows(explanation))],
    ["Children", table(childRows(explanation))],
    ["Events", table(eventRows(explanation, now, paint))],
    ["Last runs", runLines(explanation, now, paint, table)],
    ["Not known", explanation.unknown],
  ];
  const body = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => ({
      title,
      lines: [
        paint.bold(title),
        ...lines.flatMap((line) => wrapLine(line, inner, 4)).map((line) => `${margin}${line}`),
      ],
    }));
  const head = headLines(explanation, paint).flatMap((line) => wrapLine(line, columns, labelColumns));
  return [{ title: "", lines: head }, ...body];
}

const margin = "  ";
/** Columns of the words at the beginning of the head's lines. */
const labelColumns = 8;

function headLines(
  { object, state, paused, target, conditions, replica }: Explanation,
  paint: Ansis,
): readonly string[] {
  const { kind, name, namespace, age, deletingSince } = object;
  const row = (label: string, text: string): string => `${label.padEnd(labelColumns)}${text}`;
  const lines = [
    `${paint.bold(`${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`)}, ${formatLength(age)} old`,
  ];
  if (deletingSince !== undefined)
    lines.push(paint.yellow(row("Deleted", `being deleted since ${deletingSince}`)));
  if (state === undefined) {
    lines.push(row("State", "none known"));
  } else {
    const lasted =
      state.lasted === undefined ? "" : ` for ${formatLength(state.lasted)}, since ${state.since ?? ""}`;
    lines.push(row("State", `${paint.cyan.bold(state.name)}${lasted}`));
    if (state.description !== undefined) lines.push(row("", state.description));
    if (state.last !== undefined) lines.push(row("Why", describeLast(state.last)));
  }
  const says = findCondition(conditions, "Lifecycle")?.message;
  if (says !== undefined && says !== "") lines.push(row("Message", says));
  if (paused !== undefined) {
    const by = paused.by === undefined ? "" : ` by ${paused.by}`;
    lines.push(paint.yellow(row("Paused", `for ${formatLength(paused.lasted)}${by}, since ${paused.at}`)));
  }
  if (target !== undefined) {
    lines.push(row("Target", targetText(target, paint)));
    if (target.asked !== undefined) {
      const request = target.asked.request === undefined ? "" : ` for "${target.asked.request}"`;
      lines.push(
        row("", `the spec asks for ${target.asked.state}${request}, which the operator has not accepted yet`),
      );
    }
  }
  if (replica !== undefined) lines.push(row("Replica", replicaText(replica)));
  return lines;
}

function replicaText({ slot, replicas, claims }: ExplainedReplica): string {
  const who = claims.map(({ identity, lease }) => `${identity} (Lease ${lease})`).join(", and ");
  const count = `of ${replicas} ${replicas === 1 ? "replica" : "replicas"}`;
  if (claims.length === 0) return `none ${count} currently claims its slot, ${slot}`;
  if (claims.length > 1) return `slot ${slot} is being handed over between ${who}`;
  return `${who}, one ${count}: it claims slot ${slot}`;
}

function targetText(target: NonNullable<Explanation["target"]>, paint: Ansis): string {
  const request = target.request === undefined ? "" : ` for "${target.request}"`;
  const why = target.deletion ? ", because the object is being deleted" : "";
  const what = `${target.state}${request} (${target.maintained ? "maintained" : "done once"})${why}: `;
  if (target.reached) return `${what}${paint.green("reached")}`;
  if (target.outcome !== undefined) {
    const cause = target.cause === undefined ? "" : ` (${target.cause})`;
    return `${what}${paint.red(outcomes[target.outcome])}${cause}`;
  }
  return `${what}${paint.yellow("not reached")}`;
}

const outcomes = {
  failed: "failed; change spec.lifecycle.request to request it again",
  aborted: "ended manually; change spec.lifecycle.request to request it again",
  lost: "unknown, because its record was lost; change spec.lifecycle.request to request it again",
} as const;

function blockerLines({ blockers }: Explanation, paint: Ansis): readonly string[] {
  return blockers.flatMap(({ message, remedy }) => [
    paint.red(message),
    ...(remedy === undefined ? [] : [`  ${paint.dim("do:")} ${remedy}`]),
  ]);
}

function awaitedRow({ event, guard, to, next, needs, taker }: AwaitedEdge, paint: Ansis): readonly string[] {
  const label = guard === undefined ? event : `${event} [${guard}]`;
  return [next ? paint.cyan("→") : " ", label, `to ${to}`, taker, needs];
}

function planLines({ plan, state, target }: Explanation): readonly string[] {
  if (plan.length > 0) return [[state?.name ?? "", ...plan].join(" → ")];
  return target?.reached === true && state !== undefined ? ["nothing left to do"] : [];
}

function taskRow(task: ExplainedTask): readonly string[] {
  const progress = task.progress === undefined ? "" : `${Math.round(task.progress * 100)} %`;
  const deadline = task.remaining === undefined ? "" : `deadline in ${formatLength(task.remaining)}`;
  const retry = task.nextAttempt === undefined ? "" : `next attempt after ${task.nextAttempt}`;
  return [
    task.id,
    task.phase,
    `attempt ${task.attempt}`,
    progress,
    deadline,
    [retry, task.failure ?? "", task.message ?? ""].filter(Boolean).join("; "),
  ];
}

function timerRow({ state, delay, due, remaining }: ExplainedTimer, stands: boolean): readonly string[] {
  const left = remaining <= 0 ? "due now" : `in ${formatLength(remaining)}`;
  return [delay, `of ${state}`, stands ? `${left} of unpaused time` : left, stands ? "" : due];
}

function conditionRows({ conditions }: Explanation): readonly (readonly string[])[] {
  return conditions.map(({ type, status, reason, message }) => [type, status, reason, message]);
}

function childRows({ children }: Explanation): readonly (readonly string[])[] {
  return children.map(({ kind, namespace, name, finalizers, deletingSince }) => [
    `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`,
    deletingSince === undefined ? "" : `being deleted since ${deletingSince}`,
    finalizers.length === 0 ? "" : `finalizers: ${finalizers.join(", ")}`,
  ]);
}

function eventRows({ events }: Explanation, now: number, paint: Ansis): readonly (readonly string[])[] {
  return events.map(({ type, reason, message, count, lastSeen }) => [
    lastSeen === undefined ? "" : `${formatLength(now - Date.parse(lastSeen))} ago`,
    type === "Normal" ? type : paint.yellow(type),
    reason,
    count > 1 ? `${message} (${count} times)` : message,
  ]);
}

function runLines(
  { runs }: Explanation,
  now: number,
  paint: Ansis,
  table: (rows: readonly (readonly string[])[]) => readonly string[],
): readonly string[] {
  if (runs === undefined) return [];
  if (runs.length === 0) return ["none: this operator has not reconciled it recently"];
  return table(
    runs.map(({ startedAt, took, causes, writes, failed }) => [
      `${formatLength(now - startedAt)} ago`,
      took < 1_000 ? `took ${Math.round(took)} ms` : `took ${formatLength(took)}`,
      writes === 0 ? "wrote nothing" : `${writes} ${writes === 1 ? "write" : "writes"}`,
      failed ? paint.red("failed") : "",
      `because ${causes.map(causeText).join("; ") || "no cause recorded"}`,
    ]),
  );
}

function causeText({ reason, kind, object, detail }: JournalCause): string {
  const what = kind === undefined ? "it" : `${kind} ${object ?? ""}`.trim();
  const more = detail === undefined ? "" : ` (${detail})`;
  switch (reason) {
    case "initialList":
      return `the operator started and found ${what}`;
    case "added":
      return `${what} was created`;
    case "modified":
      return `${what} was changed${more}`;
    case "deleted":
      return `${what} was deleted`;
    case "requeueAfter":
      return `the previous run requested a requeue${more}`;
    case "retry":
      return `the previous run failed${more}`;
    case "resync":
      return "all objects are reconciled periodically";
    case "handOver":
      return "this replica has taken it over";
    default:
      return `${reason} ${what}${more}`;
  }
}

/**
 * Rows with their columns aligned; empty columns are left out. Where they are wider than that many columns of a screen, the
 * last one is broken where it stands, or cells follow each other when it would stand too far to the right.
 */
function tableOf(rows: readonly (readonly string[])[], columns: number): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => columnsOf(row[column] ?? ""))),
  );
  const aligned = rows.map((row) =>
    row
      .flatMap((cell, column) => {
        const width = widths[column] ?? 0;
        return width === 0 ? [] : [cell + " ".repeat(width - columnsOf(cell))];
      })
      .join(gap)
      .trimEnd(),
  );
  if (aligned.every((line) => columnsOf(line) <= columns)) return aligned;
  const before = widths.filter((width) => width > 0).slice(0, -1);
  const last = before.reduce((sum, width) => sum + width + gap.length, 0);
  if (last <= columns / 2) return aligned.flatMap((line) => wrapLine(line, columns, last));
  return rows.flatMap((row) => wrapLine(row.filter((cell) => cell.trim() !== "").join(gap), columns, 4));
}

const gap = "  ";
