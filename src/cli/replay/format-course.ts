// A recording as lines for people.
import { formatLength } from "../../explain/length.ts";
import { describeMove } from "../../lifecycle/reporting/move-text.ts";
import { causeText } from "../../ports/run-journal.ts";
import type { RunCourse } from "../../recording/course.ts";
import type { RecordingIndex, RecordedResource } from "../../recording/recording-reader.ts";
import type { ResourceVerdict } from "../../recording/replay-resource.ts";
import type { RecordedWrite } from "../../recording/run-recorder.ts";

/** What the recording is, and what of it is missing. */
export function formatHead(file: string, index: RecordingIndex): string {
  const { headers, kinds, resources, runs, dropped, damage, from, to } = index;
  const versions = [...new Set(headers.map((header) => header.package))].join(", ");
  const machines = kinds.map(({ kind, machine }) => (machine === undefined ? kind : `${kind} (${machine})`));
  const lines = [
    `Recording of ${headers[0]?.operator ?? "?"}: ${file}`,
    `  ${instantOf(from)} to ${instantOf(to)} (${formatLength(to - from)})`,
    `  ${count(headers.length, "process", "processes")} of xstate-operator ${versions}; ${machines.join(", ")}`,
    `  ${count(resources.length, "resource")}, ${count(runs, "run")}`,
  ];
  if (dropped > 0) lines.push(`  ! ${count(dropped, "run")} could not be recorded`);
  if (damage.cut > 0) lines.push(`  ! ${count(damage.cut, "line")} truncated by the end of a process`);
  if (damage.unreadable > 0) {
    lines.push(`  ! ${count(damage.unreadable, "line")} cannot be read: ${damage.places.join(", ")}`);
  }
  return textOf(lines);
}

/** The line above a resource's course. */
export function formatResource({ kind, key, uid }: Pick<RecordedResource, "kind" | "key" | "uid">): string {
  return `\n${textOf([`${kind} ${key} (${uid})`])}`;
}

/** One run with what came of it. */
export function formatRun(course: RunCourse): string {
  const { at, took, causes, moves, state = "", tasks, human, writes, error } = course;
  const [where = state, ...further] = moves.map(describeMove);
  const head = [instantOf(at), cyclesText(course), `${took} ms`, where];
  const lines = [`  ${head.filter((part) => part !== "").join("  ")}`];
  for (const move of further) lines.push(`    then ${move}`);
  if (causes.length > 0) lines.push(`    cause: ${causes.map(causeText).join("; ")}`);
  if (human !== undefined) lines.push(`    human event ${human}`);
  if (tasks.length > 0) lines.push(`    ${tasks.join(", ")}`);
  for (const write of writes) lines.push(`    ${writeText(write)}`);
  if (error !== undefined) lines.push(`    error: ${error}`);
  return textOf(lines);
}

function cyclesText({ cycle, cycles }: RunCourse): string {
  if (cycle === undefined) return "";
  return cycles === 1 ? `cycle ${cycle}` : `cycles ${cycle - cycles + 1}-${cycle}`;
}

/** Runs of which nothing has come. */
export function formatQuiet(quiet: readonly [first: number, last: number, runs: number]): string {
  const [first, last, runs] = quiet;
  if (runs === 1) return `  ${instantOf(first)}  1 run without a change\n`;
  return `  ${instantOf(first)} to ${instantOf(last)}  ${runs} runs without a change\n`;
}

/** When it was found to be gone. */
export function formatGone(at: number): string {
  return `  ${instantOf(at)}  gone\n`;
}

/** What the present operator would do. */
export function formatVerdict(
  resource: Pick<RecordedResource, "kind" | "key">,
  verdict: ResourceVerdict,
): string {
  const { cycles, different, first, undecided, why } = verdict;
  const lines = [
    `  ${resource.kind} ${resource.key}: ${count(cycles, "cycle")}, ${
      different === 0 ? "no difference" : `${different} different`
    }`,
  ];
  if (first !== undefined) {
    lines.push(`    the first is cycle ${first.cycle}, ${instantOf(first.at)}, run ${first.run}:`);
    for (const { aspect, recorded, now } of first.differences) {
      lines.push(`      ${aspect}`, `        recorded  ${recorded}`, `        now       ${now}`);
    }
  }
  if (undecided > 0) lines.push(`    ${count(undecided, "cycle")} cannot be decided: ${why ?? ""}`);
  return textOf(lines);
}

/** RFC 3339. */
export function instantOf(at: number): string {
  return new Date(at).toISOString();
}

/** Lines for a terminal, which must not obey what is in them. */
function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line.replaceAll(/\p{Cc}+/gu, " ")}\n`).join("");
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

function writeText({ verb, type, key, subresource, paths, error }: RecordedWrite): string {
  const what = `${verb} ${type} ${key}${subresource === undefined ? "" : ` ${subresource}`}`;
  const changed = paths.length === 0 ? "" : `: ${paths.join(", ")}`;
  return error === undefined ? `${what}${changed}` : `${what} failed: ${error}`;
}
