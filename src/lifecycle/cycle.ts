// One cycle of an application: restore, derive, move at most one state, and say what to persist and what to do then.
// Pure: the caller has observed before, and persists the status before it carries out the effects.
import { addDefined } from "../collections/defined-fields.ts";
import { keptGetter } from "../collections/shared-getters.ts";
import { formatLeaves, isActive, type Leaves } from "../statechart/configuration.ts";
import type { Position } from "../statechart/statechart.ts";
import { chooseMove, isAtEnd, type Choice, type Move } from "./choose-move.ts";
import type { Lifecycle } from "./graph/compile-lifecycle.ts";
import { circlingCode, circlingDelay, circlingProblem, situationOf } from "./circling.ts";
import { conditionOf, isAsDesired, isContent, type Findings } from "./reporting/condition-of.ts";
import type { CycleInput, CyclePlan, Moved } from "./cycle-plan.ts";
import { firstMove } from "./first-move.ts";
import { isLarger } from "./values/json-size.ts";
import { refuseSnapshot, waitForObservation } from "./blocked-plan.ts";
import { healthOf, type HealthQuestion } from "./reporting/health.ts";
import { decideHuman, humanRecord, problemsOfHuman } from "./human-request.ts";
import { pendingEventsOf } from "./reporting/pending-events.ts";
import { continueAfter, pauseAfter, pauseConditionOf, pausedNow, pauseEndedEvents } from "./pause.ts";
import type { Problem } from "../ports/problem.ts";
import { problemConditionOf } from "./reporting/problem-condition.ts";
import { unknownObservation } from "./reporting/unknown-observation.ts";
import { regionConditionsOf } from "./reporting/region-conditions.ts";
import { requeueDelay } from "./requeue.ts";
import { libraryEvents } from "./graph/library-edges.ts";
import { isIntervening } from "./graph/roles.ts";
import { restoreLifecycle, storedCondition, type RestoredLifecycle } from "./stored/restore.ts";
import { outputOf } from "./output.ts";
import { settleTarget } from "./settle-target.ts";
import { goesWithoutEnd, settle, worldOf, type Outcome } from "./settle.ts";
import { digestSize, toSnapshot, withDigest } from "./stored/snapshot.ts";
import { acknowledgeEdit, hasEdits, nextEdit, noticeEdits, type CurrentSpec } from "./spec-edits.ts";
import { overflowProblem } from "./stored/overflow.ts";
import { closedAtRest, planToTarget } from "./targets/path-to-target.ts";
import { isAtPeace, isUnchanged, planUnchanged, type FormerCycle } from "./unchanged-cycle.ts";
import { taskEndsOf } from "./tasks/task-ends.ts";
import { progressOf } from "./tasks/task-progress.ts";
import { applyReports, byId, dueTasks, type Tasks } from "./tasks/tasks.ts";
import type { TaskRecord } from "./tasks/task-record.ts";
import { isEnding } from "./tasks/unsuccessful-end.ts";
import { settleGraces, spentGrace } from "./timers/grace-timers.ts";
import { formatInstant } from "./values/untrusted.ts";
import { acceptTarget, longestCause } from "./targets/target-rules.ts";

/** The tasks whose state the caller has to look up before it plans the cycle; the answers go into `reports`. */
export function tasksToObserve({ tasks }: RestoredLifecycle, now: number): readonly TaskRecord[] {
  return dueTasks(tasks, now).map(([, task]) => task);
}

/**
 * Plans one cycle. `stored`: what the caller has restored from the same input, to observe its tasks. `former`: the cycle before it in
 * the same run, if there was one; it spares work and changes nothing.
 *
 * **Guarantees**: never throws for anything stored, observed or written by the author; at most one macrostep; effects are
 * to be run only after the status is persisted, and running them again after a crash starts nothing twice; an application
 * that is settled gives an identical status however often it is planned.
 */
export function planCycle(
  input: CycleInput,
  stored: RestoredLifecycle = restoreLifecycle(input.lifecycle, input),
  former?: FormerCycle,
): CyclePlan {
  const { lifecycle, deleting, now } = input;
  const problems: Problem[] = [...stored.problems];
  const human = decideHuman(input, stored);
  problems.push(...problemsOfHuman(input, stored, human));
  const paused = pauseAfter(stored.paused, human, input);
  const restored =
    stored.paused === undefined || paused !== undefined ? stored : continueAfter(stored, stored.paused, now);
  // While paused, time stands still: no deadline passes and no timer elapses.
  const standing = paused === undefined ? input : { ...input, now: pausedNow(paused, now) };
  const reported = applyReports(restored.tasks, input.reports, worldOf(standing));
  const config = noticeEdits(restored.config, specOf(input), lifecycle.options.specEdits);
  const first = firstMove(input, { ...restored, tasks: reported.tasks }, problems);
  if (first === "unsure") return waitForObservation(input, problems);
  const adopted = acceptTarget(lifecycle, {
    asked: input.desired,
    deleting,
    generation: input.generation,
    before: restored.target,
    leaves:
      restored.position?.leaves ?? (restored.origin === "lost" ? first?.step.position.leaves : undefined),
    lostRuns: restored.origin === "lost" ? Object.keys(restored.tasks) : [],
    condition: storedCondition(input.conditions),
  });
  const { target } = adopted;
  const choice: Choice =
    restored.position === undefined || first !== undefined
      ? { ...(first === undefined ? {} : { move: first }), configDelivered: true, problems: [] }
      : paused !== undefined || goesWithoutEnd(input)
        ? { configDelivered: false, problems: [] }
        : chooseMove(input, {
            position: restored.position,
            tasks: reported.tasks,
            timers: restored.timers,
            target,
            refused: adopted.refused !== undefined,
            human: human?.accepted === true && human.control === undefined ? human.event : undefined,
            changed: nextEdit(config, specOf(input)),
          });
  problems.push(...choice.problems);
  if (choice.move === undefined && problems.length === 0 && isUnchanged(former, input)) {
    return planUnchanged(former, input);
  }
  return conclude(standing, {
    restored,
    reported: reported.tasks,
    reportEffects: reported.effects,
    choice,
    config: choice.configDelivered ? acknowledgeEdit(config, specOf(input)) : config,
    target,
    targetIsNew: adopted.isNew,
    refused: adopted.refused,
    human,
    paused,
    wasPaused: stored.paused,
    clock: now,
    problems,
  });
}

function conclude(input: CycleInput, outcome: Outcome): CyclePlan {
  const { lifecycle, policies } = input;
  const { restored, choice, refused, human, paused, problems } = outcome;
  const { move } = choice;
  const settled = settle(input, outcome);
  const { position, since } = settled;
  const tasks = byId(settled.tasks);
  const { leaves } = position;
  const target = settleTarget(input, outcome, settled);
  const converging = input.deleting || !isAsDesired({ lifecycle, leaves, target });
  const graces = settleGraces(lifecycle, restored.timers, { leaves, converging, now: input.now });
  const timers = { ...settled.timers, ...graces };
  const path = move === undefined ? choice.path : undefined;
  const plan =
    refused !== undefined ? [] : path === undefined ? planToTarget(lifecycle, target, leaves) : path.plan;
  const moved = move === undefined || !settled.entered ? undefined : movedBy(restored, move);
  const last =
    moved === undefined
      ? restored.last
      : {
          ...(moved.from === undefined ? {} : { from: moved.from }),
          event: moved.event,
          cause: moved.cause.slice(0, longestCause),
        };
  const waits = hasEdits(outcome.config, specOf(input));
  const progress = progressOf(tasks, input.rollout, { before: restored.progress, now: input.now });
  const fields = addDefined(
    {
      state: formatLeaves(leaves),
      since: formatInstant(since),
      target,
      plan: (plan ?? []).map((hop) => formatLeaves(hop.to)),
      graph: lifecycle.graphId,
      snapshot: toSnapshot(lifecycle.graphId, position, settled.entry),
      tasks,
      timers,
      config: outcome.config,
    },
    {
      human: humanRecord(input, restored.human, human),
      paused,
      last,
      progress,
      output: outputOf(input, outcome, settled),
    },
  );
  const { snapshotBudget: budget } = lifecycle.options;
  // A deletion is not held up by it.
  const isTooLarge = !input.deleting && isLarger(fields, budget - digestSize);
  const status = withDigest(fields);
  if (isTooLarge) {
    if (moved === undefined || restored.position === undefined) {
      return refuseSnapshot(input, problems, restored.position?.leaves, status);
    }
    return stayPut(input, outcome, overflowProblem({ state: moved.from ?? "", move: moved, status, budget }));
  }
  // What was to be done is found again in the records once the pause is over.
  const effects = paused === undefined ? settled.effects : [];
  const ended = isOver(input, position, tasks);
  const isPassing = moved !== undefined && effects.length === 0 && human === undefined && !ended;
  const passing = isPassing ? situationOf(status, input.observation) : undefined;
  if (isPassing && passing !== undefined && input.passed?.includes(passing) === true) {
    return stayPut(input, outcome, circlingProblem(moved));
  }
  const findings: Findings = {
    lifecycle,
    generation: input.generation,
    leaves,
    target,
    refused,
    plan,
    closed: (path ?? closedAtRest(lifecycle, target, leaves)).closed,
    failed: path?.failed,
    returning: path?.returning,
    tasks,
    ...(input.rollout === undefined || progress === undefined ? {} : { progress }),
    observation: input.observation,
    observationError: input.observationError,
    configWaits: waits,
    last,
    paused,
    goesWithoutEnd: goesWithoutEnd(input),
    problems,
  };
  const condition = conditionOf(findings);
  const content =
    isContent(findings) && !waits && input.observationError === undefined && refused === undefined;
  const rests = passing !== undefined && content && problems.length === 0 && isAtPeace(status);
  const delay = requeueDelay({
    timers: paused === undefined ? timers : {},
    tasks: paused === undefined ? tasks : runningOf(tasks),
    policies,
    content: content || paused !== undefined,
    notBefore: paused === undefined ? target.notBefore : undefined,
    observationPoll: input.observationPoll,
    since,
    now: outcome.clock,
  });
  // At once, when the next step may be possible already: what was started is to be recorded, the plan goes on.
  const soon =
    (outcome.wasPaused !== undefined && paused === undefined) ||
    // Then it is recorded that the annotation is gone, so that the same event may be sent again.
    human !== undefined ||
    effects.some((effect) => effect.kind !== "runAction") ||
    (moved !== undefined &&
      paused === undefined &&
      (plan?.length ?? 0) > 0 &&
      target.notBefore === undefined);
  const isCircling = problems.some(({ code }) => code === circlingCode);
  const grace = spentGrace(timers);
  const requeueAfter = isCircling ? circlingDelay : soon ? 0 : delay;
  const decided: Omit<CyclePlan, "health"> = addDefined(
    {
      status,
      condition,
      regions: regionConditionsOf(lifecycle, leaves, input.generation),
      operation: paused === undefined ? operationOf(lifecycle, leaves) : "none",
      effects,
      taskEnds: taskEndsOf({ before: restored.tasks, reported: outcome.reported, after: tasks }, input.now),
      pendingEvents: [
        ...pauseEndedEvents(outcome.wasPaused, paused, input.deleting),
        ...pendingEventsOf({
          moved,
          intervening: isIntervening(lifecycle, leaves),
          human,
          tasks: [restored.tasks, outcome.reported, tasks],
          hasTask: (src) => Object.hasOwn(policies, src),
          problems,
          refused,
          newTarget: outcome.targetIsNew ? target : undefined,
          failedTarget:
            target.outcome === "failed" && outcome.target.outcome === undefined ? target : undefined,
          unknownObservation: unknownObservation(lifecycle, leaves, input.observation),
          conditionBefore: storedCondition(input.conditions),
          condition,
          graces: [spentGrace(restored.timers), grace],
        }),
      ],
      problems,
      ended,
    },
    {
      pause: paused === undefined ? undefined : pauseConditionOf(paused, input.generation),
      problem: problemConditionOf(problems, input.generation),
      moved,
      requeueAfter,
      human,
      passing,
      rests: rests ? true : undefined,
    },
  );
  return withHealth(decided, { findings, condition, deleting: input.deleting, grace });
}

/** The health is worked out when it is asked for: that of a state that is passed through is not. */
const withHealth = keptGetter(
  "health",
  ({
    findings,
    condition,
    ...rest
  }: Pick<HealthQuestion, "deleting" | "grace"> & {
    readonly findings: Findings;
    readonly condition: CyclePlan["condition"];
  }) => healthOf({ ...findings, ...rest, situation: condition.message }),
);

/** The same cycle without its move, which does not fit: all else counts, and the move is tried again in the next one. */
function stayPut(input: CycleInput, outcome: Outcome, problem: Problem): CyclePlan {
  const { choice, restored, human } = outcome;
  const { move: _move, path, ...rest } = choice;
  const failed = choice.move?.hop?.edge;
  const isRefused = human?.accepted === true && human.control === undefined;
  // What the move would have delivered to the application is still to be delivered.
  const isTelling = choice.move?.taker === "spec" || choice.move?.type === libraryEvents.restart;
  return conclude(input, {
    ...outcome,
    choice: {
      ...rest,
      configDelivered: false,
      ...(path === undefined
        ? {}
        : { path: { plan: path.plan, ...(failed === undefined ? {} : { failed }) } }),
    },
    config: isTelling ? (restored.config ?? outcome.config) : outcome.config,
    human: isRefused ? { ...human, accepted: false, message: problem.message } : human,
    problems: [...outcome.problems, problem],
  });
}

/** The tasks that are observed while paused; their deadlines stand still. */
function runningOf(tasks: Tasks): Tasks {
  return Object.fromEntries(
    Object.entries(tasks).flatMap(([id, { deadline: _deadline, ...task }]) =>
      task.phase === "Running" ? [[id, task] as const] : [],
    ),
  );
}

function movedBy(restored: RestoredLifecycle, move: Move): Moved {
  return {
    ...(restored.position === undefined ? {} : { from: formatLeaves(restored.position.leaves) }),
    to: formatLeaves(move.step.position.leaves),
    event: move.event,
    cause: move.cause,
    ...(move.taker === "runtime" ? { through: move.type } : {}),
  };
}

function operationOf({ final, initial }: Lifecycle, leaves: Leaves): CyclePlan["operation"] {
  if (final !== undefined && isActive(leaves, final)) return "delete";
  return isActive(leaves, initial) ? "create" : "update";
}

function isOver(input: CycleInput, position: Position, tasks: Tasks): boolean {
  const isDone = goesWithoutEnd(input) || isAtEnd(input.lifecycle, position.leaves);
  return isDone && Object.values(tasks).every((task) => !isEnding(task));
}

function specOf({ generation, specHash, spec }: CycleInput): CurrentSpec {
  return { generation, hash: specHash, values: spec };
}
