// Where two plans of one cycle differ in what they do, in the order in which a person asks: texts for people and hashes are
// no part of it. Pure; both sides are JSON, and the recorded one is untrusted.
import { readEntries, readField, readFields, type Fields } from "../lifecycle/values/untrusted.ts";
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
  | "next look";

/** One difference, in words. */
export interface PlanDifference {
  readonly aspect: PlanAspect;
  readonly recorded: string;
  readonly now: string;
}

interface Told {
  readonly value: unknown;
  readonly text: string;
}

/** What a plan does. */
export type PlanFacts = ReadonlyMap<PlanAspect, Told>;

/** The facts of a plan. */
export function factsOf(plan: Fields): PlanFacts {
  const status = readFields(plan["status"]) ?? {};
  const snapshot = readFields(status["snapshot"]) ?? {};
  const effects = readList(plan["effects"]);
  const tasks = effects.filter((effect) => effect["kind"] !== "runAction").map(taskEffectOf);
  const actions = effects.flatMap((effect) => (effect["kind"] === "runAction" ? [effect["action"]] : []));
  const records = readEntries(status["tasks"]).map(([id, task]) => [
    id,
    without(task, ["message", "progress"]),
  ]);
  const facts: readonly (readonly [PlanAspect, unknown, string?])[] = [
    ["state", status["state"]],
    ["edge", ...edgeOf(readFields(plan["moved"]))],
    ["tasks", { tasks, records: Object.fromEntries(records) as unknown }, tasksText(tasks, records)],
    ["actions", actions, listText(actions.map((action) => textOf(readFields(action)?.["name"] ?? action)))],
    ["timers", status["timers"], timersText(status["timers"])],
    ["target", without(status["target"], ["cause"]), targetText(readFields(status["target"]))],
    ["path", status["plan"], listText(Array.isArray(status["plan"]) ? status["plan"] : [], " → ")],
    ["operation", plan["operation"]],
    ["end", plan["ended"]],
    ["human event", decisionOf(readFields(plan["human"]))],
    ["pause", without(status["paused"], [])],
    ["condition", conditionOf(readFields(plan["condition"]))],
    ["context", snapshot["context"]],
    ["configuration", without(status["config"], ["fields"])],
    ["output", status["output"]],
    ["next look", plan["requeueAfter"], delayText(plan["requeueAfter"])],
  ];
  return new Map(facts.map(([aspect, value, text]) => [aspect, { value, text: text ?? textOf(value) }]));
}

/** The differences, the most telling one first; none: both do the same. */
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

function tasksText(effects: readonly Fields[], records: readonly (readonly unknown[])[]): string {
  const done = effects.map(
    ({ kind, id, key }) => `${taskVerbs[textOf(kind)] ?? textOf(kind)} ${textOf(key ?? id)}`,
  );
  const kept = records.map(([id, record]) => {
    const { phase, attempt, deadline } = readFields(record) ?? {};
    return `${textOf(id)} ${textOf(phase)}, attempt ${textOf(attempt)}${
      typeof deadline === "string" ? `, until ${deadline}` : ""
    }`;
  });
  return listText([...done, ...kept], "; ");
}

function timersText(timers: unknown): string {
  return listText(
    readEntries(timers).map(([, timer]) => {
      const { delay, state, due } = readFields(timer) ?? {};
      return `${textOf(delay ?? "after")} of ${textOf(state)} due ${textOf(due)}`;
    }),
    "; ",
  );
}

function targetText(target: Fields | undefined): string {
  if (target === undefined) return "none";
  const { state, request, reached, outcome } = target;
  const end = reached === true ? "reached" : typeof outcome === "string" ? outcome : "not reached";
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

/** Longer than this no value is told in full. */
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

function without(value: unknown, names: readonly string[]): Fields | undefined {
  const fields = readFields(value);
  if (fields === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => !names.includes(name) && readField(fields, name) !== null),
  );
}
