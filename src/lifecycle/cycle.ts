// One cycle of an application: restore, derive, move at most one state, and say what to persist and what to do then.
// Pure: the caller has observed before, and persists the status before it carries out the effects.
import { findCondition } from "../meta/condition.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { enter, formatLeaves, isActive, parseLeaves, type Leaves } from "../statechart/configuration.ts";
import type { Position } from "../statechart/statechart.ts";
import {
  beginLife,
  changesState,
  chooseMove,
  hasEnded,
  intervene,
  type Choice,
  type Move,
} from "./choose-move.ts";
import { conditionOf, isContent, regionConditionsOf, type Findings } from "./condition-of.ts";
import type { CycleEffect, CycleInput, CyclePlan, HumanDecision, Moved } from "./cycle-plan.ts";
import { humanEventsOf } from "./derive-events.ts";
import { jumpTo, deletionExit } from "./jump.ts";
import { noticesOf } from "./notices.ts";
import type { Problem } from "./problem.ts";
import { requeueDelay } from "./requeue.ts";
import { lifecycleCondition, restoreLifecycle, sameNamedState, type RestoredLifecycle } from "./restore.ts";
import { sizeOf, toSnapshot, type ConfigRecord, type HumanRecord, type LifecycleStatus } from "./snapshot.ts";
import { acknowledgeEdit, hasEdits, noticeEdits } from "./spec-edits.ts";
import { planWish } from "./strive.ts";
import { applyReports, settleTasks, tasksToLookAt, type TaskEffect, type Tasks } from "./tasks.ts";
import type { TaskRecord } from "./task-record.ts";
import { settleTimers, type Timers } from "./timers.ts";
import { formatInstant } from "./untrusted.ts";
import { adoptWish, delayWish, followWish, isHeld, rearmWish } from "./wishes.ts";
import type { WishRecord } from "./wish.ts";

/** The tasks whose state the caller has to look up before it plans the cycle; the answers go into `reports`. */
export function looksOf(
  input: Pick<CycleInput, "lifecycle" | "status" | "conditions" | "uid" | "now">,
): readonly TaskRecord[] {
  const restored = restoreLifecycle(input.lifecycle, input);
  return tasksToLookAt(restored.tasks, input.now).map(([, task]) => task);
}

/**
 * Plans one cycle.
 *
 * **Guarantees**: never throws for anything stored, observed or written by the author; at most one macrostep; effects are
 * to be run only after the status is persisted, and running them again after a crash starts nothing twice; an application
 * that is settled gives an identical status however often it is planned.
 */
export function planCycle(input: CycleInput): CyclePlan {
  const { lifecycle } = input;
  const restored = restoreLifecycle(lifecycle, input);
  const problems: Problem[] = [...restored.problems];
  const reported = applyReports(restored.tasks, input.reports, worldOf(input));
  const config = noticeEdits(restored.config, specOf(input), lifecycle.options.specEdits);
  const adopted = adoptWish(lifecycle, {
    asked: input.wish,
    deleting: input.deleting,
    generation: input.generation,
    before: restored.wish,
    leaves: restored.position?.leaves,
    condition: findCondition(input.conditions, lifecycleCondition),
  });
  const { wish } = adopted;
  const human = decideHuman(input, restored);
  const first = firstMove(input, restored, problems);
  if (first === "unsure") return waitForObservation(input, problems);
  const choice: Choice =
    restored.position === undefined || first !== undefined
      ? { ...(first === undefined ? {} : { move: first }), toldConfig: true, problems: [] }
      : chooseMove(input, {
          position: restored.position,
          tasks: reported.tasks,
          timers: restored.timers,
          wish,
          refused: adopted.refused !== undefined,
          human: human?.accepted === true ? human.event : undefined,
          configChanged: hasEdits(config, specOf(input)),
        });
  problems.push(...choice.problems);
  return conclude(input, {
    restored,
    reported: reported.tasks,
    reportEffects: reported.effects,
    choice,
    config: choice.toldConfig ? acknowledgeEdit(config, specOf(input)) : config,
    wish,
    wishIsNew: adopted.isNew,
    refused: adopted.refused,
    human,
    problems,
  });
}

interface Outcome {
  readonly restored: RestoredLifecycle;
  readonly reported: Tasks;
  readonly reportEffects: readonly TaskEffect[];
  readonly choice: Choice;
  readonly config: ConfigRecord;
  readonly wish: WishRecord;
  readonly wishIsNew: boolean;
  readonly refused: string | undefined;
  readonly human: HumanDecision | undefined;
  readonly problems: Problem[];
}

/** Where the application is after the choice, with tasks and timers. */
interface Settled {
  readonly position: Position;
  readonly entered: boolean;
  readonly entry: number;
  readonly since: number;
  readonly tasks: Tasks;
  readonly timers: Timers;
  readonly effects: readonly CycleEffect[];
}

function conclude(input: CycleInput, outcome: Outcome): CyclePlan {
  const { lifecycle, now, policies } = input;
  const { restored, choice, refused, human, problems } = outcome;
  const { move } = choice;
  const settled = settle(input, outcome);
  const { position, tasks, timers, since } = settled;
  const { leaves } = position;
  const wish = settleWish(input, outcome, settled);
  const plan = refused === undefined ? planWish(lifecycle, wish, leaves) : [];
  const moved = move === undefined || !settled.entered ? undefined : movedBy(restored, move);
  const last =
    moved === undefined
      ? restored.last
      : {
          ...(moved.from === undefined ? {} : { from: moved.from }),
          event: moved.event,
          cause: moved.cause.slice(0, 512),
        };
  const waits = hasEdits(outcome.config, specOf(input));
  const status: LifecycleStatus = {
    state: formatLeaves(leaves),
    since: formatInstant(since),
    wish,
    plan: (plan ?? []).map((hop) => formatLeaves(hop.to)),
    graph: lifecycle.graphId,
    snapshot: toSnapshot(lifecycle.graphId, position, settled.entry),
    tasks,
    timers,
    config: outcome.config,
    ...humanRecord(input, restored.human, human),
    ...(last === undefined ? {} : { last }),
  };
  const size = sizeOf(status);
  if (size > lifecycle.options.snapshotBudget && restored.position !== undefined) {
    return refuseSnapshot(input, outcome, restored.position, size);
  }
  const findings: Findings = {
    lifecycle,
    generation: input.generation,
    leaves,
    wish,
    refused,
    plan,
    closed: moved === undefined ? choice.striving?.closed : undefined,
    tasks,
    observation: input.observation,
    observationError: input.observationError,
    configWaits: waits,
    last,
    problems,
  };
  const condition = conditionOf(findings);
  const content =
    isContent(findings) && !waits && input.observationError === undefined && refused === undefined;
  const { effects } = settled;
  const delay = requeueDelay({
    timers,
    tasks,
    policies,
    content,
    notBefore: wish.notBefore,
    observationPoll: lifecycle.options.observationPoll,
    since,
    now,
  });
  // At once, when the next step may be possible already: what was started is to be recorded, the plan goes on.
  const soon =
    effects.some((effect) => effect.kind !== "runAction") ||
    (moved !== undefined && (plan?.length ?? 0) > 0 && wish.notBefore === undefined);
  return {
    status,
    condition,
    regions: regionConditionsOf(findings),
    ...(moved === undefined ? {} : { moved }),
    operation: moved === undefined ? "none" : operationOf(input, leaves),
    effects,
    ...(soon ? { requeueAfter: 0 } : delay === undefined ? {} : { requeueAfter: delay }),
    notices: noticesOf({
      moved,
      intervention: lifecycle.intervention,
      human,
      tasks: [restored.tasks, outcome.reported, tasks],
      problems,
      refused,
      conditionBefore: findCondition(input.conditions, lifecycleCondition),
      condition,
    }),
    problems,
    ...(human === undefined ? {} : { human }),
    ended: isOver(input, position, tasks),
  };
}

/** The first step of a life, or the way back from something unusable; `unsure` while it cannot be observed. */
function firstMove(
  input: CycleInput,
  restored: RestoredLifecycle,
  problems: Problem[],
): Move | "unsure" | undefined {
  const { lifecycle, observation } = input;
  if (restored.position !== undefined) return undefined;
  if (restored.origin === "new") {
    if (!input.deleting) return beginLife(input, problems, "the resource is new");
    return endUnborn(input) ?? beginLife(input, problems, "the resource is new");
  }
  if (input.observationError !== undefined) return "unsure";
  const seen = observation?.state === undefined ? undefined : parseLeaves(lifecycle.index, observation.state);
  const leaves = seen ?? sameNamedState(lifecycle, input);
  const why = problems.map((problem) => problem.message).join("; ");
  if (leaves === undefined) return intervene(input, undefined, `what is stored says no state: ${why}`);
  const step = jumpTo(lifecycle, undefined, leaves);
  const cause = seen === undefined ? `only the state's name is left: ${why}` : `it is seen so; ${why}`;
  // Not invoked: whether a task of this state runs is unknown, so it is looked for and never started.
  return { step: { ...step, invoked: [] }, type: "restore", event: "restore", taker: "runtime", cause };
}

/** A resource that is deleted before its first cycle: straight to the end, by way of the stop when something is seen. */
function endUnborn(input: CycleInput): Move | undefined {
  const { lifecycle, observation } = input;
  if (lifecycle.final === undefined) return undefined;
  const leaves =
    observation?.state === undefined ? enter(lifecycle.index, [lifecycle.final]) : deletionExit(lifecycle);
  if (leaves === undefined) return undefined;
  const step = jumpTo(lifecycle, undefined, leaves);
  return { step, type: "begin", event: "begin", taker: "runtime", cause: "the resource is being deleted" };
}

function settle(input: CycleInput, { restored, reported, reportEffects, choice }: Outcome): Settled {
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
  const entry = entered ? restored.entry + 1 : restored.entry;
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
    timers: settleTimers(lifecycle, told, position, { armed, since, now, event }),
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

function settleWish(input: CycleInput, { restored, choice, wish }: Outcome, settled: Settled): WishRecord {
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
          reentered: move.step.invoked.length > 0 || move.step.armed.length > 0,
          ...(move.hop === undefined ? {} : { through: move.hop.to }),
        },
  );
  if (move?.event === "human.retry") return rearmWish(followed);
  const wasIntervening =
    lifecycle.intervention !== undefined &&
    restored.position?.leaves.includes(lifecycle.intervention) === true;
  if (wasIntervening && move?.taker === "spec") return rearmWish(followed);
  const hasFailed = move?.taker === "failure" && isHeld(lifecycle, followed.state) && !followed.fulfilled;
  return hasFailed ? delayWish(followed, now) : followed;
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

function movedBy(restored: RestoredLifecycle, move: Move): Moved {
  return {
    ...(restored.position === undefined ? {} : { from: formatLeaves(restored.position.leaves) }),
    to: formatLeaves(move.step.position.leaves),
    event: move.event,
    cause: move.cause,
  };
}

function operationOf({ lifecycle }: CycleInput, leaves: Leaves): CyclePlan["operation"] {
  if (lifecycle.final !== undefined && isActive(leaves, lifecycle.final)) return "delete";
  return isActive(leaves, lifecycle.initial) ? "create" : "update";
}

function isOver(input: CycleInput, position: Position, tasks: Tasks): boolean {
  if (input.lifecycle.final === undefined) return input.deleting;
  return hasEnded(input, { position }) && Object.values(tasks).every((task) => task.phase !== "Cancelling");
}

function decideHuman(input: CycleInput, restored: RestoredLifecycle): HumanDecision | undefined {
  const { human, lifecycle } = input;
  if (human === undefined) return undefined;
  const { event, id, by } = human;
  const who = by === undefined ? "" : ` by ${by}`;
  if (restored.human?.id === id) {
    return { event, accepted: false, message: `${event} was dealt with before` };
  }
  const accepted = restored.position === undefined ? [] : humanEventsOf(lifecycle, restored.position.leaves);
  if (accepted.includes(event)) return { event, accepted: true, message: `${event} was asked for${who}` };
  const here = restored.position === undefined ? "no state yet" : formatLeaves(restored.position.leaves);
  const list = accepted.length === 0 ? "none" : accepted.join(", ");
  return { event, accepted: false, message: `${event}${who} is not accepted in ${here}; accepted: ${list}` };
}

function humanRecord(
  { human }: CycleInput,
  before: HumanRecord | undefined,
  decision: HumanDecision | undefined,
): { human?: HumanRecord } {
  if (human === undefined || decision === undefined) return before === undefined ? {} : { human: before };
  return { human: { event: human.event, id: human.id, ...(human.by === undefined ? {} : { by: human.by }) } };
}

/** Nothing stored is usable and nothing can be seen: nothing is decided, and what is stored stays. */
function waitForObservation(input: CycleInput, problems: readonly Problem[]): CyclePlan {
  const before = findCondition(input.conditions, lifecycleCondition);
  const why = problems.map((problem) => problem.message).join("; ");
  const condition = {
    type: lifecycleCondition,
    status: "Unknown" as const,
    reason: before?.reason ?? "Unknown",
    message: `the application cannot be observed: ${input.observationError ?? "unknown"}; ${why}`,
    observedGeneration: input.generation,
  };
  return heldPlan(condition, problems);
}

/** The status would not fit: the stored one stays, and so does everything else. */
function refuseSnapshot(input: CycleInput, outcome: Outcome, position: Position, size: number): CyclePlan {
  const budget = input.lifecycle.options.snapshotBudget;
  const problem: Problem = {
    code: "SNAPSHOT_TOO_LARGE",
    severity: "error",
    state: formatLeaves(position.leaves),
    message: `the snapshot would take ${size} bytes, the budget is ${budget}; the previous one stays`,
    remedy: "Keep large values out of the context, the task handles and outputs, or raise `snapshotBudget`.",
  };
  const condition = {
    type: lifecycleCondition,
    status: "False" as const,
    reason: formatLeaves(position.leaves),
    message: problem.message,
    observedGeneration: input.generation,
  };
  return heldPlan(condition, [...outcome.problems, problem]);
}

function heldPlan(condition: CyclePlan["condition"], problems: readonly Problem[]): CyclePlan {
  return {
    status: undefined,
    condition,
    regions: [],
    operation: "none",
    effects: [],
    requeueAfter: 30_000,
    notices: problems.map(({ message }) => ({ type: "Warning", reason: "LifecycleHeld", message })),
    problems,
    ended: false,
  };
}

function worldOf({ uid, policies, now }: CycleInput): {
  uid: string;
  policies: CycleInput["policies"];
  now: number;
} {
  return { uid, policies, now };
}

function specOf({ generation, specHash }: CycleInput): { generation: number; hash: string } {
  return { generation, hash: specHash };
}
