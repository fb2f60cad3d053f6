// Plans that change nothing stored, because what would be written cannot be trusted or does not fit.
import { formatLeaves, type Leaves } from "../statechart/configuration.ts";
import type { CycleInput, CyclePlan } from "./cycle-plan.ts";
import type { Health } from "../meta/health.ts";
import { blockedHealth, unknownHealth } from "./reporting/health.ts";
import { overflowProblem } from "./stored/overflow.ts";
import type { Problem } from "../ports/problem.ts";
import { problemConditionOf } from "./reporting/problem-condition.ts";
import type { LifecycleStatus } from "./stored/snapshot.ts";
import { lifecycleCondition, storedCondition, unknownState } from "./stored/restore.ts";

/** Milliseconds. */
const retryDelay = 30_000;

/** Nothing stored is usable and nothing can be seen: nothing is decided, and what is stored stays. */
export function waitForObservation(input: CycleInput, problems: readonly Problem[]): CyclePlan {
  const before = storedCondition(input.conditions);
  const why = problems.map((problem) => problem.message).join("; ");
  const condition = {
    type: lifecycleCondition,
    status: "Unknown" as const,
    reason: before?.reason ?? unknownState,
    message: `the application cannot be observed: ${input.observationError ?? "unknown"}; ${why}`,
    observedGeneration: input.generation,
  };
  return blockedPlan(input, condition, problems, unknownHealth(condition));
}

/** The status would not fit, not even without a move: the stored one stays, and so does everything else. */
export function refuseSnapshot(
  input: CycleInput,
  problems: readonly Problem[],
  before: Leaves | undefined,
  status: LifecycleStatus,
): CyclePlan {
  const state = before === undefined ? unknownState : formatLeaves(before);
  const { snapshotBudget: budget } = input.lifecycle.options;
  const problem = overflowProblem({ state, status, budget });
  const condition = {
    type: lifecycleCondition,
    status: "False" as const,
    reason: state,
    message: problem.message,
    observedGeneration: input.generation,
  };
  return blockedPlan(input, condition, [...problems, problem], blockedHealth(state, problem));
}

function blockedPlan(
  input: CycleInput,
  condition: CyclePlan["condition"],
  problems: readonly Problem[],
  health: Health,
): CyclePlan {
  const before = storedCondition(input.conditions);
  const isNews = before?.message !== condition.message;
  const problem = problemConditionOf(problems, input.generation);
  return {
    status: undefined,
    condition,
    health,
    ...(problem === undefined ? {} : { problem }),
    regions: [],
    operation: "none",
    effects: [],
    requeueAfter: retryDelay,
    pendingEvents: isNews
      ? problems.map(({ message }) => ({ type: "Warning", reason: "LifecycleBlocked", message }))
      : [],
    problems,
    ended: false,
  };
}
