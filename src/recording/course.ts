// What became of a resource in one run, as people and programs see it. Pure.
import { readField, readFields, readText, type Fields } from "../lifecycle/values/untrusted.ts";
import type { JournalCause } from "../ports/run-journal.ts";
import type { RunLine } from "./recording-format.ts";
import type { RecordedWrite } from "./run-recorder.ts";

/** One run. Instants are milliseconds since the epoch. */
export interface RunCourse {
  readonly run: string;
  /** The number of its last cycle, counted from 1 for each resource; absent when it came to no cycle of its lifecycle. */
  readonly cycle?: number;
  /** How many cycles it came to. */
  readonly cycles: number;
  readonly at: number;
  readonly took: number;
  readonly causes: readonly JournalCause[];
  readonly stages: readonly string[];
  /** The states after the run. */
  readonly state?: string;
  /** In order. */
  readonly moves: readonly {
    readonly from?: string;
    readonly to: string;
    readonly event: string;
    readonly cause: string;
  }[];
  /** `starts KEY`, `cancels KEY`, `compensates KEY`. */
  readonly tasks: readonly string[];
  /** What was decided about a human event. */
  readonly human?: string;
  readonly writes: readonly RecordedWrite[];
  readonly error?: string;
}

/** What an effect of a cycle does with a task, by its kind. */
export const taskVerbs: Readonly<Record<string, string>> = {
  startTask: "starts",
  cancelTask: "cancels",
  compensateTask: "compensates",
};

/** The course of a run; `cycle` is the number of its last cycle. */
export function courseOf(line: RunLine, cycle: number | undefined): RunCourse {
  const plans = line.cycles.map(({ plan }) => plan);
  const status = readFields(plans.at(-1)?.["status"]) ?? {};
  const state = readText(status["state"]);
  const human = plans.map((plan) => humanOf(readFields(plan["human"]))).find((each) => each !== undefined);
  return {
    run: line.id,
    ...(cycle === undefined || plans.length === 0 ? {} : { cycle }),
    cycles: plans.length,
    at: line.startedAt,
    took: line.took,
    causes: line.causes,
    stages: line.stages.map(({ stage }) => stage),
    ...(state === undefined ? {} : { state }),
    moves: plans.flatMap((plan) => movedOf(readFields(plan["moved"])) ?? []),
    tasks: plans.flatMap((plan) => tasksOf(plan["effects"])),
    ...(human === undefined ? {} : { human }),
    writes: line.requests,
    ...(line.error === undefined || line.error === "" ? {} : { error: line.error }),
  };
}

/** Whether nothing has come of a run. */
export function isQuiet({ moves, tasks, human, writes, error }: RunCourse): boolean {
  return (
    moves.length === 0 &&
    tasks.length === 0 &&
    human === undefined &&
    writes.length === 0 &&
    error === undefined
  );
}

function movedOf(moved: Fields | undefined): RunCourse["moves"][number] | undefined {
  if (moved === undefined) return undefined;
  const from = readText(moved["from"]);
  const [to = "", event = "", cause = ""] = ["to", "event", "cause"].map((name) =>
    readText(readField(moved, name)),
  );
  return { ...(from === undefined ? {} : { from }), to, event, cause };
}

function tasksOf(effects: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(effects) ? effects : [];
  return list.flatMap((each) => {
    const { kind, id, task } = readFields(each) ?? {};
    const key = readText(readFields(task)?.["key"]) ?? readText(id) ?? "";
    const verb = typeof kind === "string" && Object.hasOwn(taskVerbs, kind) ? taskVerbs[kind] : undefined;
    return verb === undefined ? [] : [`${verb} ${key}`];
  });
}

function humanOf(human: Fields | undefined): string | undefined {
  if (human === undefined || human["repeated"] === true) return undefined;
  return `${readText(human["event"]) ?? ""} ${human["accepted"] === true ? "accepted" : "refused"}`;
}
