// How far a task is, as it is recorded: a part in whole percent, and units of its own where it counts any. Pure.
import type { TaskProgress } from "./task-definition.ts";
import type { CountedProgress, TaskRecord } from "./task-record.ts";
import { formatInstant, readInstant } from "../values/untrusted.ts";

/** Milliseconds for which a count stays as it was recorded: each other one would be a write of the status. */
const shortestStay = 5_000;

/** The fields of a record after an observation; where it says nothing of one, what is recorded stays. */
export function progressAfter(
  { counted }: TaskRecord,
  found: number | TaskProgress | undefined,
  now: number,
): Pick<TaskRecord, "progress" | "counted"> {
  if (found === undefined) return {};
  if (typeof found === "number") return { progress: inPercent(found) };
  const next = countedAt(counted, found, now);
  const { done, total } = next;
  if (total === undefined || total === 0) return { counted: next };
  return { counted: next, progress: inPercent(done / total) };
}

/** A count as it is recorded: the former one for a while, unless it is complete now or counts something else. */
export function countedAt(
  before: CountedProgress | undefined,
  { done, total, what }: TaskProgress,
  now: number,
): CountedProgress {
  const next = {
    done,
    ...(total === undefined ? {} : { total }),
    ...(what === undefined ? {} : { what }),
    at: formatInstant(now),
  };
  if (before === undefined || before.what !== what || before.total !== total) return next;
  const age = now - (readInstant(before.at) ?? 0);
  const isYoung = age >= 0 && age < shortestStay && done !== total;
  return before.done === done || isYoung ? before : next;
}

/** `3 of 5 tables copied`. */
export function describeCount({ done, total, what }: TaskProgress): string {
  const count = total === undefined ? `${done}` : `${done} of ${total}`;
  return what === undefined ? `${count} done` : `${count} ${what}`;
}

function inPercent(part: number): number {
  return Math.round(Math.min(Math.max(part, 0), 1) * 100) / 100;
}

/** How far the work is that is under way: of the first task that reports it, else of the children. */
export function progressOf(
  tasks: Readonly<Record<string, TaskRecord>>,
  rollout: TaskProgress | undefined,
  { before, now }: { readonly before: CountedProgress | undefined; readonly now: number },
): CountedProgress | undefined {
  for (const [id, { phase, progress, counted }] of Object.entries(tasks)) {
    if (phase !== "Running") continue;
    if (counted !== undefined) return counted;
    if (progress === undefined) continue;
    return countedAt(before, { done: Math.round(progress * 100), total: 100, what: `percent of ${id}` }, now);
  }
  return rollout === undefined ? undefined : countedAt(before, rollout, now);
}
