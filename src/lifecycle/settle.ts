// What a choice means for everything that is recorded: position, tasks, timers, wish.
import { formatLeaves, type Leaves } from "../statechart/configuration.ts";
import type { Position } from "../statechart/statechart.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { changesState, type Choice, type Move } from "./choose-move.ts";
import type { Lifecycle } from "./compile-lifecycle.ts";
import type { CycleEffect, CycleInput, HumanDecision } from "./cycle-plan.ts";
import { takerOf } from "./edge-taker.ts";
import { lastEntry } from "./entry-number.ts";
import type { Problem } from "./problem.ts";
import { lifecycleCondition, restoreLifecycle, type RestoredLifecycle } from "./restore.ts";
import type { ConfigRecord, PauseRecord } from "./snapshot.ts";
import type { TaskWorld } from "./task-record.ts";
import type { TaskEffect } from "./task-report.ts";
import { settleTasks, type Tasks } from "./tasks.ts";
import { isWanting, planWish } from "./strive.ts";
import { settleTimers, type Timers } from "./timers.ts";
import { isTooLate } from "./undone-work.ts";
import { abortWish, delayWish, followWish, rearmWish, tryWish, undoWish } from "./wishes.ts";
import type { WishRecord } from "./wish.ts";

/** All that a cycle has found out when its move is chosen. */
export interface Outcome {
  readonly restored: RestoredLifecycle;
  readonly reported: Tasks;
  readonly reportEffects: readonly TaskEffect[];
  readonly choice: Choice;
  readonly config: ConfigRecord;
  readonly wish: WishRecord;
  readonly wishIsNew: boolean;
  readonly refused: string | undefined;
  readonly human: HumanDecision | undefined;
  readonly paused: PauseRecord | undefined;
  /** The pause before this cycle. */
  readonly wasPaused: PauseRecord | undefined;
  /** The time, which the input's own lags behind while paused. */
  readonly clock: number;
  readonly problems: Problem[];
}

/** Where the application is after the choice, with tasks and timers. */
export interface Settled {
  readonly position: Position;
  readonly entered: boolean;
  readonly entry: number;
  readonly since: number;
  readonly tasks: Tasks;
  readonly timers: Timers;
  readonly effects: readonly CycleEffect[];
}

/** Position, tasks and timers after the choice. */
export function settle(
  input: CycleInput,
  { restored, reported, reportEffects, choice, problems }: Outcome,
): Settled {
  const { lifecycle, now } = input;
  const { move } = choice;
  const position = move?.step.position ?? restored.position;
  if (position === undefined) {
    throw new OperatorError("MACHINE_FAILED", `the lifecycle "${lifecycle.id}" has no state`, {
      remedy: "Report this; a lifecycle always has a state after its first cycle.",
    });
  }
  const { invoked = [], armed = [], actions = [] } = move?.step ?? {};
  const entered =
    move !== undefined &&
    (restored.position === undefined ||
      changesState(restored.position, move.step) ||
      invoked.length > 0 ||
      armed.length > 0);
  const before = lastEntry(restored, input.created, input.now);
  const entry = entered ? before + 1 : before;
  const since = entered ? now : (restored.since ?? now);
  const step = settleTasks(
    lifecycle,
    markTold(reported, move),
    { leaves: position.leaves, invoked, entry },
    worldOf(input),
  );
  const tasks = withLost(input, restored, step.tasks, position.leaves, entry);
  const pending = reportEffects.filter(
    ({ id, task }) => tasks[id]?.key === task.key && tasks[id].phase === task.phase,
  );
  const told = move?.taker === "timer" ? tellTimer(restored.timers, move.type) : restored.timers;
  const event = { type: move?.type ?? "look", spec: input.spec, facts: input.observation?.facts ?? {} };
  return {
    position,
    entered,
    entry,
    since,
    tasks,
    timers: settleTimers(lifecycle, told, position, {
      armed: [...armed, ...(restored.armed ?? [])],
      since,
      now,
      event,
      problems,
    }),
    effects: [
      ...pending,
      ...step.effects,
      ...actions.map((action) => ({ kind: "runAction" as const, action })),
    ],
  };
}

/** After a jump back into a state whose tasks are unknown, they are looked for. */
function withLost(
  input: CycleInput,
  restored: RestoredLifecycle,
  tasks: Tasks,
  leaves: Leaves,
  entry: number,
): Tasks {
  if (restored.position !== undefined) return tasks;
  const condition = {
    type: lifecycleCondition,
    status: "False" as const,
    reason: formatLeaves(leaves),
    message: "",
  };
  const status = { graph: input.lifecycle.graphId, tasks, snapshot: { entry } };
  const conditions = [{ ...condition, lastTransitionTime: "" }];
  return restoreLifecycle(input.lifecycle, { status, conditions, uid: input.uid }).tasks;
}

/** The wish after the choice. */
export function settleWish(
  input: CycleInput,
  { restored, choice, wish }: Outcome,
  settled: Settled,
): WishRecord {
  const { lifecycle, now } = input;
  const { move } = choice;
  const followed = followWish(
    lifecycle,
    move?.forced === true ? { ...wish, forced: true } : wish,
    settled.position.leaves,
    move === undefined || !settled.entered
      ? undefined
      : {
          from: restored.position?.leaves,
          to: settled.position.leaves,
          taker: move.task !== undefined && move.taker === "runtime" ? "failure" : move.taker,
          reentered: restored.position !== undefined && !changesState(restored.position, move.step),
          event: move.event,
          cause: move.cause,
          undone: move.undone ?? [],
          ...(move.hop === undefined ? {} : { through: move.hop.to }),
        },
  );
  if (move?.event === "human.retry") return rearmWish(followed);
  if (move !== undefined && turnsBack(lifecycle, { restored, move, wish }, settled, followed)) {
    return abortWish(followed, move.event);
  }
  const wasIntervening =
    lifecycle.intervention !== undefined &&
    restored.position?.leaves.includes(lifecycle.intervention) === true;
  if (wasIntervening && move?.taker === "spec") return rearmWish(followed);
  const hasFailed = move?.taker === "failure" || isCutOff(lifecycle, { restored, move, wish }, settled);
  if (hasFailed && isWanting(lifecycle, followed, settled.position.leaves)) {
    return delayWish(followed, now, move?.cause);
  }
  if (isUndone(input, { restored, move, wish }, settled, followed))
    return undoWish(followed, now, move?.cause);
  // Then the next try has begun.
  return move?.taker === "operator" || move?.forced === true ? tryWish(followed) : followed;
}

/**
 * Whether a person has left the way to the wish, and the operator would lead into the same state again: what a person has
 * ended is not begun anew behind their back. A deletion is not ended so, nor where the graph leads back by itself.
 */
function turnsBack(
  lifecycle: Lifecycle,
  { restored, move, wish }: Pick<Outcome, "restored" | "wish"> & { readonly move: Move },
  { position, entered }: Settled,
  followed: WishRecord,
): boolean {
  if (move.taker !== "human" || !entered || restored.position === undefined) return false;
  const { leaves } = position;
  const left = restored.position.leaves.filter((leaf) => !leaves.includes(leaf));
  if (wish.deletion === true || !isWanting(lifecycle, wish, restored.position.leaves)) return false;
  const plan = planWish(lifecycle, followed, leaves) ?? [];
  const again = plan.findIndex(({ to }) => to.some((leaf) => left.includes(leaf)));
  return plan.slice(0, again + 1).some(({ edge }) => takerOf(edge) === "operator");
}

/** Whether a deadline was over before the task was done over which the way to the wish led. */
function isCutOff(
  lifecycle: Lifecycle,
  { restored, move, wish }: Pick<Outcome, "restored" | "wish"> & { readonly move: Move | undefined },
  { position }: Settled,
): boolean {
  const { undone = [], taker = "" } = move ?? {};
  if (!isTooLate(taker, undone) || restored.position === undefined) return false;
  const [next] = planWish(lifecycle, wish, restored.position.leaves) ?? [];
  const isTask = undone.some(({ id }) => next?.edge.eventType === `xstate.done.actor.${id}`);
  return next !== undefined && isTask && formatLeaves(next.to) !== formatLeaves(position.leaves);
}

/** Milliseconds after which what the operator has reached counts as held. */
const provenAfter = 10 * 60_000;

/**
 * Whether a look leads elsewhere than the way does, soon after the operator has gone on. Striving on at once would move to
 * and fro without an end: what is wished and what is seen contradict each other.
 */
function isUndone(
  { lifecycle, now }: CycleInput,
  { restored, move, wish }: Pick<Outcome, "restored" | "wish"> & { readonly move: Move | undefined },
  { position, entered }: Settled,
  followed: WishRecord,
): boolean {
  if (move?.taker !== "observation" || !entered || restored.position === undefined) return false;
  const { event = "" } = restored.last ?? {};
  if (event !== "begin" && !event.startsWith("desired.")) return false;
  if (now - (restored.since ?? now) >= provenAfter || !isWanting(lifecycle, followed, position.leaves))
    return false;
  const [next] = planWish(lifecycle, wish, restored.position.leaves) ?? [];
  return next === undefined || formatLeaves(next.to) !== formatLeaves(position.leaves);
}

function markTold(tasks: Tasks, move: Move | undefined): Tasks {
  const task = move?.task === undefined ? undefined : tasks[move.task];
  return move?.task === undefined || task === undefined
    ? tasks
    : { ...tasks, [move.task]: { ...task, told: true } };
}

function tellTimer(timers: Timers, eventType: string): Timers {
  const timer = timers[eventType];
  return timer === undefined ? timers : { ...timers, [eventType]: { ...timer, told: true } };
}

/** What the steps of tasks are told. */
export function worldOf({ uid, policies, now }: CycleInput): TaskWorld {
  return { uid, policies, now };
}
