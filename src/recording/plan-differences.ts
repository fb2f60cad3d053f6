// Where two plans of one cycle differ in what they do, in the order in which a person asks. Texts for people and hashes are
// not compared. Pure; both sides are JSON, and the recorded one is untrusted.
import { readStatus } from "../lifecycle/stored/read-status.ts";
import type { ConfigRecord } from "../lifecycle/stored/snapshot.ts";
import type { TargetRecord } from "../lifecycle/targets/target-record.ts";
import type { TaskRecord } from "../lifecycle/tasks/task-record.ts";
import type { Timers } from "../lifecycle/timers/timers.ts";
import { readFields, type Fields } from "../lifecycle/values/untrusted.ts";
import { isEqualJson } from "../meta/changed-paths.ts";
import { taskVerbs } from "./course.ts";

/** What of a plan differs. */
export type PlanAspect =
  | "state"
  | "edge"
  | "tasks"
  | "actions"
  | "timers"
  | "target"
  | "path"
  | "operation"
  | "end"
  | "human event"
  | "pause"
  | "condition"
  | "context"
  | "configuration"
  | "output"
  | "next cycle";

/** One difference, in words. */
export interface PlanDifference {
  readonly aspect: PlanAspect;
  readonly recorded: string;
  readonly now: string;
}

interface Reported {
  readonly value: unknown;
  readonly text: string;
}

/** What a plan does. */
export type PlanFacts = ReadonlyMap<PlanAspect, Reported>;

/** The facts of a plan. */
export function factsOf(plan: Fields): PlanFacts {
  const status = readStatus(plan["status"]);
  const effects = readList(plan["effects"]);
  const tasks = effects.filter((effect) => effect["kind"] !== "runAction").map(taskEffectOf);
  const actions = effects.flatMap((effect) => (effect["kind"] === "runAction" ? [effect["action"]] : []));
  const records = Object.entries(status.tasks).map(
    ([id, { message: _message, progress: _progress, ...task }]) => [id, task] as const,
  );
  const facts: readonly (readonly [PlanAspect, unknown, string?])[] = [
    ["state", status.state],
    ["edge", ...edgeOf(readFields(plan["moved"]))],
    ["tasks", { tasks, records: Object.fromEntries(records) }, tasksText(tasks, records)],
    ["actions", actions, listText(actions.map((action) => textOf(readFields(action)?.["name"] ?? action)))],
    ["timers", status.timers, timersText(status.timers)],
    ["target", withoutCause(status.target), targetText(status.target)],
    ["path", status.plan, listText(status.plan ?? [], " → ")],
    ["operation", plan["operation"]],
    ["end", plan["ended"]],
    ["human event", decisionOf(readFields(plan["human"]))],
    ["pause", status.paused],
    ["condition", conditionOf(readFields(plan["condition"]))],
    ["context", status.context],
    ["configuration", withoutFields(status.config)],
    ["output", status.output],
    ["next cycle", plan["requeueAfter"], delayText(plan["requeueAfter"])],
  ];
  return new Map(facts.map(([aspect, value, text]) => [aspect, { value, text: text ?? textOf(value) }]));
}

/** The differences, the most important first; empty when both plans do the same. */
export function differencesOf(recorded: PlanFacts, now: PlanFacts): readonly PlanDifference[] {
  const differences: PlanDifference[] = [];
  for (const [aspect, before] of recorded) {
    const after = now.get(aspect);
    if (after === undefined || isEqualJson(before.value, after.value)) continue;
    differences.push({ aspect, recorded: before.text, now: after.text });
  }
  return differences;
}

function edgeOf(moved: Fields | undefined): [value: unknown, text: string] {
  if (moved === undefined) return [undefined, "none"];
  const { from, to, event } = moved;
  return [
    { from, to, event },
    `${from === undefined ? "" : `${textOf(from)} → `}${textOf(to)} (${textOf(event)})`,
  ];
}

function taskEffectOf(effect: Fields): Fields {
  const { kind, id, task } = effect;
  return { kind, id, key: readFields(task)?.["key"] };
}

function tasksText(
  effects: readonly Fields[],
  records: readonly (readonly [string, Omit<TaskRecord, "message" | "progress">])[],
): string {
  const done = effects.map(
    ({ kind, id, key }) => `${taskVerbs[textOf(kind)] ?? textOf(kind)} ${textOf(key ?? id)}`,
  );
  const kept = records.map(
    ([id, { phase, attempt, deadline }]) =>
      `${textOf(id)} ${phase}, attempt ${attempt}${deadline === undefined ? "" : `, until ${deadline}`}`,
  );
  return listText([...done, ...kept], "; ");
}

function timersText(timers: Timers): string {
  return listText(
    Object.values(timers).map(
      ({ delay, state, due }) => `${textOf(delay)} of ${textOf(state)} due ${textOf(due)}`,
    ),
    "; ",
  );
}

function targetText(target: TargetRecord | undefined): string {
  if (target === undefined) return "none";
  const { state, request, reached, outcome } = target;
  const end = reached ? "reached" : (outcome ?? "not reached");
  return `${textOf(state)}${request === undefined ? "" : ` for "${textOf(request)}"`}, ${end}`;
}

function decisionOf(human: Fields | undefined): unknown {
  if (human === undefined) return undefined;
  const { event, accepted, control } = human;
  return { event, accepted, control };
}

function conditionOf(condition: Fields | undefined): string | undefined {
  if (condition === undefined) return undefined;
  return `${textOf(condition["status"])}, ${textOf(condition["reason"])}`;
}

function delayText(delay: unknown): string {
  if (delay === undefined) return "none";
  return delay === 0 ? "at once" : `after ${textOf(delay)} ms`;
}

/** Longer than this no value is reported in full. */
const longestText = 300;

function textOf(value: unknown): string {
  if (value === undefined) return "none";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= longestText ? text : `${text.slice(0, longestText)} …`;
}

function listText(items: readonly unknown[], separator = ", "): string {
  return items.length === 0 ? "none" : items.map(textOf).join(separator);
}

function readList(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map((each) => readFields(each) ?? {}) : [];
}

function withoutCause(target: TargetRecord | undefined): unknown {
  const { cause: _cause, ...rest } = target ?? {};
  return target && rest;
}

function withoutFields(config: ConfigRecord | undefined): unknown {
  const { fields: _fields, ...rest } = config ?? {};
  return config && rest;
}
