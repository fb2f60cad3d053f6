// What a choice means for position, tasks and timers.
import type { Position } from "../statechart/statechart.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { changesState, type Choice, type Move } from "./choose-move.ts";
import type { CycleEffect, CycleInput, HumanDecision } from "./cycle-plan.ts";
import { lastEntry } from "./stored/entry-number.ts";
import type { Problem } from "../ports/problem.ts";
import type { RestoredLifecycle } from "./stored/restore.ts";
import type { ConfigRecord, PauseRecord } from "./stored/snapshot.ts";
import { withLostTasks } from "./tasks/restore-tasks.ts";
import type { TaskWorld } from "./tasks/task-record.ts";
import type { TaskEffect } from "./tasks/task-report.ts";
import { endTasks, settleTasks, type Tasks } from "./tasks/tasks.ts";
import { settleTimers, type Timers } from "./timers/timers.ts";
import type { TargetRecord } from "./targets/target-record.ts";

/** All that a cycle has found out when its move is chosen. */
export interface Outcome {
  readonly restored: RestoredLifecycle;
  readonly reported: Tasks;
  readonly reportEffects: readonly TaskEffect[];
  readonly choice: Choice;
  readonly config: ConfigRecord;
  readonly target: TargetRecord;
  readonly targetIsNew: boolean;
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
  const isLeft = goesWithoutEnd(input);
  const { invoked = [], inputs = {}, armed = [], actions = [] } = isLeft ? {} : (move?.step ?? {});
  const entered =
    move !== undefined &&
    (restored.position === undefined ||
      changesState(restored.position, move.step) ||
      invoked.length > 0 ||
      armed.length > 0);
  const before = lastEntry(restored, input.resourceVersion);
  // Counted where it becomes part of a key: states that are passed through within one run are one write together.
  const entry = invoked.length > 0 ? before + 1 : before;
  const since = entered ? now : (restored.since ?? now);
  const { leaves } = position;
  const world = worldOf(input);
  const step = isLeft
    ? endTasks(reported, world)
    : settleTasks(
        lifecycle,
        markDelivered(reported, move),
        { leaves, invoked, inputs, entry, ...(move === undefined ? {} : { event: move.type }) },
        world,
      );
  // After a jump back into a state whose tasks are unknown, they are looked for.
  const tasks =
    restored.position === undefined && !isLeft
      ? withLostTasks(lifecycle, step.tasks, { leaves, entry, uid: input.uid })
      : step.tasks;
  const pending = reportEffects.filter(
    ({ id, task }) => tasks[id]?.key === task.key && tasks[id].phase === task.phase,
  );
  const delivered = move?.taker === "timer" ? tellTimer(restored.timers, move.type) : restored.timers;
  const event = { type: move?.type ?? "look", spec: input.spec, facts: input.observation?.facts ?? {} };
  return {
    position,
    entered,
    entry,
    since,
    tasks,
    timers: settleTimers(lifecycle, delivered, position, {
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

/** Whether a resource is being deleted whose lifecycle has no end: nothing moves any more, and its tasks end where they are. */
export function goesWithoutEnd({ deleting, lifecycle }: CycleInput): boolean {
  return deleting && lifecycle.final === undefined;
}

function markDelivered(tasks: Tasks, move: Move | undefined): Tasks {
  const task = move?.task === undefined ? undefined : tasks[move.task];
  return move?.task === undefined || task === undefined
    ? tasks
    : { ...tasks, [move.task]: { ...task, delivered: true } };
}

function tellTimer(timers: Timers, eventType: string): Timers {
  const timer = timers[eventType];
  return timer === undefined ? timers : { ...timers, [eventType]: { ...timer, delivered: true } };
}

/** What the steps of tasks are given. */
export function worldOf({ uid, policies, now }: CycleInput): TaskWorld {
  return { uid, policies, now };
}
