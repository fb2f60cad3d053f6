// Log lines for people: time, level, message and fields, from the JSON that the logger writes. Pure.
import { Ansis } from "ansis";
import { visible } from "./visible-text.ts";

const levels: Readonly<Record<number, string>> = { 20: "debug", 30: "info", 40: "warn", 50: "error" };

/** One JSON log line as a line for people; a line that is not JSON stays as it is. Ends with a line break. */
export function formatLogLine(json: string, color: boolean): string {
  let line: Record<string, unknown>;
  try {
    line = JSON.parse(json) as Record<string, unknown>;
  } catch {
    return json;
  }
  const paint = new Ansis(color ? 1 : 0);
  const { level, time, msg, ...fields } = line;
  const word = levels[Number(level)] ?? "info";
  const styled =
    { debug: paint.dim, info: paint.cyan, warn: paint.yellow, error: paint.red }[word] ?? paint.cyan;
  const clock = new Date(Number(time)).toISOString().slice(11, 23);
  const data = Object.entries(fields).map(([key, value]) => `${paint.dim(`${key}=`)}${formatValue(value)}`);
  return `${[paint.dim(clock), styled(word.padEnd(5)), visible(String(msg)), ...data].join(" ")}\n`;
}

function formatValue(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /^[\w./:@,+%-]+$/.test(text) ? text : JSON.stringify(text);
}
