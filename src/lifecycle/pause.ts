// Pausing: a person stops everything that the operator does with one application, and lets it go on later. While paused
// nothing is moved, started, ended or written; what runs is still looked at, and the time of timers stands still.
import type { NewCondition } from "../meta/condition.ts";
import type { GraphIndex } from "../statechart/configuration.ts";
import type { HumanDecision, HumanRequest, PendingEvent } from "./cycle-plan.ts";
import { pausedCondition, type RestoredLifecycle } from "./stored/restore.ts";
import type { PauseRecord } from "./stored/snapshot.ts";
import type { TaskRecord } from "./tasks/task-record.ts";
import type { Timers } from "./timers/timers.ts";
import { formatInstant, readInstant } from "./values/untrusted.ts";

/** The human events that every lifecycle accepts in any state. */
export const pauseEvents = ["pause", "resume"] as const;

/** Whether both words have the operator's meaning: a graph that draws one of them itself keeps its own. */
export function canPause({ graph }: GraphIndex): boolean {
  return !graph.edges.some((edge) => pauseEvents.some((name) => edge.event === `human.${name}`));
}

/** The pause after what a person has said; a deletion ends every pause. */
export function pauseAfter(
  before: PauseRecord | undefined,
  decision: HumanDecision | undefined,
  given: { readonly human?: HumanRequest; readonly deleting: boolean; readonly now: number },
): PauseRecord | undefined {
  if (given.deleting || decision?.control === "resume") return undefined;
  if (decision?.control !== "pause" || before !== undefined) return before;
  const by = given.human?.by;
  return { at: formatInstant(given.now), ...(by === undefined ? {} : { by }) };
}

/** The instant at which the application's time stands still; now, when it is not paused. */
export function pausedNow(pause: PauseRecord | undefined, now: number): number {
  return pause === undefined ? now : Math.min(readInstant(pause.at) ?? now, now);
}

/** What was restored, with every instant as much later as the pause has lasted: what remained then remains now. */
export function continueAfter(
  restored: RestoredLifecycle,
  pause: PauseRecord,
  now: number,
): RestoredLifecycle {
  const lasted = now - pausedNow(pause, now);
  const later = (instant: string): string => formatInstant((readInstant(instant) ?? now) + lasted);
  const { paused: _paused, target, ...rest } = restored;
  const timers: Timers = Object.fromEntries(
    Object.entries(restored.timers).map(([name, timer]) => [name, { ...timer, due: later(timer.due) }]),
  );
  const tasks = Object.fromEntries(
    Object.entries(restored.tasks).map(([id, task]) => [id, taskLater(task, later)]),
  );
  const delayed =
    target?.notBefore === undefined ? target : { ...target, notBefore: later(target.notBefore) };
  return { ...rest, ...(delayed === undefined ? {} : { target: delayed }), timers, tasks };
}

function taskLater(task: TaskRecord, later: (instant: string) => string): TaskRecord {
  const { deadline, nextAttempt } = task;
  return {
    ...task,
    ...(deadline === undefined ? {} : { deadline: later(deadline) }),
    ...(nextAttempt === undefined ? {} : { nextAttempt: later(nextAttempt) }),
  };
}

/** The sentence about a pause. */
export function describePause({ at, by }: PauseRecord): string {
  return `paused${by === undefined ? "" : ` by ${by}`} since ${at}: nothing is moved or written until it is resumed`;
}

/** The condition `Paused`, which stands only while it is. */
export function pauseConditionOf(pause: PauseRecord, observedGeneration: number): NewCondition {
  return {
    type: pausedCondition,
    status: "True",
    reason: "PauseRequested",
    message: describePause(pause),
    observedGeneration,
  };
}

/** What is reported when a deletion has ended a pause. */
export function pauseEndedEvents(
  before: PauseRecord | undefined,
  after: PauseRecord | undefined,
  deleting: boolean,
): readonly PendingEvent[] {
  if (before === undefined || after !== undefined || !deleting) return [];
  const message = "the resource is being deleted, which ends the pause";
  return [{ type: "Normal", reason: "PauseEnded", message }];
}
