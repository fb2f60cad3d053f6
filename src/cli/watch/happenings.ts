// What has happened between two looks at an object, as lines of two words and a sentence: for those who read a log. Pure.
import type { Condition } from "../../meta/condition.ts";
import type { Explanation, ExplainedTask, ObjectEvent } from "../../explain/explanation.ts";

/** One thing that happened. */
export interface Happening {
  readonly about:
    "state" | "target" | "plan" | "task" | "timer" | "condition" | "event" | "blocked" | "paused" | "deleted";
  readonly text: string;
  /** People should look. */
  readonly warning: boolean;
}

/** What differs, in the order of the explanation; everything that is there when there was no look before. */
export function happeningsBetween(before: Explanation | undefined, after: Explanation): readonly Happening[] {
  const tell = (about: Happening["about"], texts: readonly string[], warning = false): readonly Happening[] =>
    texts.map((text) => ({ about, text, warning }));
  return [
    ...tell("deleted", changed(deletionOf, before, after), true),
    ...tell("state", changed(stateOf, before, after)),
    ...tell("paused", changed(pauseOf, before, after), true),
    ...tell("target", changed(targetOf, before, after)),
    ...tell("plan", changed(planOf, before, after)),
    ...tell(
      "task",
      news(({ tasks }) => tasks.map(taskOf), before, after),
    ),
    ...tell(
      "timer",
      news(
        ({ timers }) => timers.map(({ delay, state, due }) => `${delay} of ${state} is due at ${due}`),
        before,
        after,
      ),
    ),
    ...tell(
      "condition",
      news(({ conditions }) => conditions.map(conditionOf), before, after),
    ),
    ...tell(
      "blocked",
      news(({ blockers }) => blockers.map(({ message }) => message), before, after),
      true,
    ),
    ...newEvents(before, after),
  ];
}

type TextsOf = (explanation: Explanation) => readonly string[];
type TextOf = (explanation: Explanation, before: Explanation | undefined) => string | undefined;

/** The one text, when it is another than before. */
function changed(textOf: TextOf, before: Explanation | undefined, after: Explanation): readonly string[] {
  const text = textOf(after, before);
  return text === undefined ||
    (before !== undefined && textOf(before, undefined) === textOf(after, undefined))
    ? []
    : [text];
}

/** The texts that were not there before. */
function news(textsOf: TextsOf, before: Explanation | undefined, after: Explanation): readonly string[] {
  const known = new Set(before === undefined ? [] : textsOf(before));
  return textsOf(after).filter((text) => !known.has(text));
}

function deletionOf({ object }: Explanation): string | undefined {
  return object.deletingSince === undefined ? undefined : `being deleted since ${object.deletingSince}`;
}

function stateOf({ state }: Explanation, before: Explanation | undefined): string | undefined {
  if (state === undefined) return undefined;
  const from = before?.state === undefined ? "" : `${before.state.name} → `;
  const cause = state.last === undefined ? "" : `, because ${state.last.cause}`;
  return before === undefined ? state.name : `${from}${state.name}${cause}`;
}

function pauseOf({ paused }: Explanation): string | undefined {
  if (paused === undefined) return undefined;
  return `since ${paused.at}${paused.by === undefined ? "" : `, by ${paused.by}`}`;
}

function targetOf({ target }: Explanation): string | undefined {
  if (target === undefined) return undefined;
  const { state, request, maintained, reached, outcome } = target;
  const end = reached ? "reached" : (outcome ?? "not reached");
  return `${state}${request === undefined ? "" : ` for "${request}"`} (${maintained ? "maintained" : "done once"}): ${end}`;
}

function planOf({ state, plan }: Explanation): string | undefined {
  return plan.length === 0 ? undefined : [state?.name ?? "", ...plan].join(" → ");
}

function taskOf({ id, phase, attempt, progress, message }: ExplainedTask): string {
  const done = progress === undefined ? "" : `, ${Math.round(progress * 100)} %`;
  return `${id} ${phase}, attempt ${attempt}${done}${message === undefined ? "" : `: ${message}`}`;
}

function conditionOf({ type, status, reason, message }: Condition): string {
  return `${type} is ${status}, ${reason}${message === "" ? "" : `: ${message}`}`;
}

/** Those that were not there, and those that came again; the oldest first. */
function newEvents(before: Explanation | undefined, after: Explanation): readonly Happening[] {
  const idOf = ({ reason, message, count, lastSeen }: ObjectEvent): string =>
    [reason, message, count, lastSeen].join("\n");
  const known = new Set((before?.events ?? []).map(idOf));
  return after.events
    .filter((event) => !known.has(idOf(event)))
    .toReversed()
    .map(({ type, reason, message, count }) => ({
      about: "event" as const,
      text: `${reason}: ${message}${count > 1 ? ` (${count} times)` : ""}`,
      warning: type !== "Normal",
    }));
}
