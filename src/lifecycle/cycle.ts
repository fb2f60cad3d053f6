// One cycle of an application: restore, derive, move at most one state, and say what to persist and what to do then.
// Pure: the caller has observed before, and persists the status before it carries out the effects.
import { formatLeaves, isActive, type Leaves } from "../statechart/configuration.ts";
import type { Position } from "../statechart/statechart.ts";
import { chooseMove, hasEnded, type Choice, type Move } from "./choose-move.ts";
import { conditionOf, isContent, regionConditionsOf, type Findings } from "./condition-of.ts";
import type { CycleInput, CyclePlan, Moved } from "./cycle-plan.ts";
import { firstMove } from "./first-move.ts";
import { refuseSnapshot, waitForObservation } from "./held-plan.ts";
import { decideHuman, humanRecord } from "./human-request.ts";
import { noticesOf } from "./notices.ts";
import type { Problem } from "./problem.ts";
import { requeueDelay } from "./requeue.ts";
import { restoreLifecycle, storedCondition, type RestoredLifecycle } from "./restore.ts";
import { settle, settleWish, worldOf, type Outcome } from "./settle.ts";
import { digestOf, sizeOf, toSnapshot, type LifecycleStatus } from "./snapshot.ts";
import { acknowledgeEdit, hasEdits, noticeEdits, type CurrentSpec } from "./spec-edits.ts";
import { planWish } from "./strive.ts";
import { applyReports, tasksToLookAt, type Tasks } from "./tasks.ts";
import type { TaskRecord } from "./task-record.ts";
import { formatInstant } from "./untrusted.ts";
import { adoptWish } from "./wishes.ts";

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
    condition: storedCondition(input.conditions),
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
  const decisive = {
    wish,
    snapshot: toSnapshot(lifecycle.graphId, position, settled.entry),
    tasks,
    timers,
    config: outcome.config,
  };
  const status: LifecycleStatus = {
    state: formatLeaves(leaves),
    since: formatInstant(since),
    wish,
    plan: (plan ?? []).map((hop) => formatLeaves(hop.to)),
    graph: lifecycle.graphId,
    snapshot: decisive.snapshot,
    tasks,
    timers,
    config: outcome.config,
    ...humanRecord(input, restored.human, human),
    ...(last === undefined ? {} : { last }),
    digest: digestOf(decisive),
  };
  const size = sizeOf(status);
  // A deletion is not held up by it.
  if (size > lifecycle.options.snapshotBudget && !input.deleting) {
    return refuseSnapshot(input, problems, restored.position?.leaves, size);
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
    observationPoll: input.observationPoll ?? lifecycle.options.observationPoll,
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
    operation: moved === undefined ? "none" : operationOf(input, restored.position?.leaves, leaves),
    effects,
    ...(soon ? { requeueAfter: 0 } : delay === undefined ? {} : { requeueAfter: delay }),
    notices: noticesOf({
      moved,
      intervention: lifecycle.intervention,
      human,
      tasks: [restored.tasks, outcome.reported, tasks],
      problems,
      refused,
      newWish: outcome.wishIsNew ? wish : undefined,
      conditionBefore: storedCondition(input.conditions),
      condition,
    }),
    problems,
    ...(human === undefined ? {} : { human }),
    ended: isOver(input, position, tasks),
  };
}

function movedBy(restored: RestoredLifecycle, move: Move): Moved {
  return {
    ...(restored.position === undefined ? {} : { from: formatLeaves(restored.position.leaves) }),
    to: formatLeaves(move.step.position.leaves),
    event: move.event,
    cause: move.cause,
  };
}

function operationOf(
  { lifecycle }: CycleInput,
  from: Leaves | undefined,
  to: Leaves,
): CyclePlan["operation"] {
  if (lifecycle.final !== undefined && isActive(to, lifecycle.final)) return "delete";
  const begins =
    isActive(to, lifecycle.initial) && (from === undefined || !isActive(from, lifecycle.initial));
  return begins ? "create" : "update";
}

function isOver(input: CycleInput, position: Position, tasks: Tasks): boolean {
  if (input.lifecycle.final === undefined) return input.deleting;
  return hasEnded(input, { position }) && Object.values(tasks).every((task) => task.phase !== "Cancelling");
}

function specOf({ generation, specHash }: CycleInput): CurrentSpec {
  return { generation, hash: specHash };
}
