// The cycle after one that came to rest, in the same run: where nothing else is observed and asked, it decides the same without working
// it out again. Most runs end with such a cycle, as the resources are rendered for a state once it is entered.
import { addDefined } from "../collections/defined-fields.ts";
import { keptGetter } from "../collections/shared-getters.ts";
import { isEqualJson } from "../meta/changed-paths.ts";
import type { CycleInput, CyclePlan } from "./cycle-plan.ts";
import { requeueDelay } from "./requeue.ts";
import type { LifecycleStatus } from "./stored/snapshot.ts";
import { readInstant } from "./values/untrusted.ts";

/** A cycle of the same run, as it was decided. */
export interface FormerCycle {
  readonly input: CycleInput;
  readonly plan: CyclePlan;
}

/** Whether nothing in a status changes by itself, so that only what is observed and asked can. */
export function isAtPeace({ plan, target, tasks, timers, human, paused, progress }: StatusParts): boolean {
  return (
    plan.length === 0 &&
    target.notBefore === undefined &&
    human === undefined &&
    paused === undefined &&
    progress === undefined &&
    Object.keys(tasks).length === 0 &&
    Object.keys(timers).length === 0
  );
}

type StatusParts = Pick<
  LifecycleStatus,
  "plan" | "target" | "tasks" | "timers" | "human" | "paused" | "progress"
>;

/** Whether the cycle begins with what the former one has decided, and sees and is asked the same. */
export function isUnchanged(former: FormerCycle | undefined, input: CycleInput): former is FormerCycle {
  if (former?.plan.rests !== true || former.plan.status !== input.status) return false;
  const { input: before } = former;
  return (
    input.lifecycle === before.lifecycle &&
    input.uid === before.uid &&
    input.generation === before.generation &&
    input.specHash === before.specHash &&
    !input.deleting &&
    input.human === undefined &&
    input.removedHuman === undefined &&
    input.observationError === undefined &&
    input.reports.length === 0 &&
    input.rollout === undefined &&
    isEqualJson(input.desired, before.desired) &&
    isEqualJson(input.observation, before.observation)
  );
}

/** What such a cycle decides, once it is known that no edge is taken in it: that the application stays as it is. */
export function planUnchanged({ plan }: FormerCycle, input: CycleInput): CyclePlan {
  const { status, condition, regions, operation } = plan;
  const { policies, observationPoll, now } = input;
  const since = readInstant(status?.since) ?? now;
  const rest = { timers: {}, tasks: {}, content: true, notBefore: undefined };
  const requeueAfter = requeueDelay({ ...rest, policies, observationPoll, since, now });
  const decided = addDefined(
    {
      status,
      condition,
      regions,
      operation,
      effects: [],
      taskEnds: [],
      pendingEvents: [],
      problems: [],
      ended: false,
    },
    { requeueAfter },
  );
  return withHealthOf(decided, plan);
}

const withHealthOf = keptGetter("health", ({ health }: CyclePlan) => health);
