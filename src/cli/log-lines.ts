// Log lines for people: time, level, message and fields, from the JSON that the logger writes; below them the lines of the
// author's code in which something failed, if they are asked for. Pure.
import { Ansis } from "ansis";
import { causeText, type JournalCause } from "../ports/run-journal.ts";
import { visible } from "./visible-text.ts";

/** How {@link formatLogLine} shows a line. */
export interface LogLineFormat {
  readonly color: boolean;
  /** Shows the stacks of errors; the first place is shown in any case. */
  readonly stacks?: boolean;
}

/** One JSON log line as a line for people; a line that is not JSON stays as it is. Ends with a line break. */
export function formatLogLine(json: string, { color, stacks = false }: LogLineFormat): string {
  let line: Record<string, unknown>;
  try {
    line = JSON.parse(json) as Record<string, unknown>;
  } catch {
    return json;
  }
  const paint = new Ansis(color ? 1 : 0);
  const { level, time, msg, stack, ...fields } = line;
  const word = String(level);
  const styled =
    { debug: paint.dim, info: paint.cyan, warn: paint.yellow, error: paint.red }[word] ?? paint.cyan;
  const clock = String(time).slice(11, 23);
  const data = Object.entries(fields)
    .toSorted(([one], [other]) => rankOf(one) - rankOf(other))
    .map(([key, value]) => `${paint.dim(`${key}=`)}${formatValue(key, value)}`);
  const frames = stacks && typeof stack === "string" ? visible(stack).split("\n") : [];
  const below = frames.map((frame) => `\n    ${paint.dim(frame)}`).join("");
  return `${[paint.dim(clock), styled(word.padEnd(5)), visible(String(msg)), ...data].join(" ")}${below}\n`;
}

/** What people look for first; all else follows in the order in which it was logged. */
const first = ["controller", "object", "error", "reason", "code", "where", "remedy"];

function rankOf(name: string): number {
  const place = first.indexOf(name);
  return place === -1 ? first.length : place;
}

function formatValue(name: string, value: unknown): string {
  const isCauses = name === "causes" && Array.isArray(value);
  const whole = isCauses ? value.map((cause: JournalCause) => causeText(cause)).join("; ") : value;
  const text = typeof whole === "string" ? whole : JSON.stringify(whole);
  return /^[\w./:@,+%-]+$/.test(text) ? text : JSON.stringify(text);
}
