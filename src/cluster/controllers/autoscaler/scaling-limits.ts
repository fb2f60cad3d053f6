// How fast and how far an autoscaler may go: stabilisation by what was recommended lately, the rates of its behaviour, its bounds.
// Pure; the controller remembers what was recommended and done. https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#configurable-scaling-behavior
import type { HorizontalPodAutoscaler } from "../../../kinds/builtin/autoscaling.ts";

type Behavior = NonNullable<NonNullable<HorizontalPodAutoscaler["spec"]>["behavior"]>;
type Rules = NonNullable<Behavior["scaleUp"]>;

/** Something that was recommended, or done, at a time in milliseconds. */
export interface Remembered {
  readonly at: number;
  /** The replicas that were recommended, or by how many they were changed. */
  readonly replicas: number;
}

/** What an autoscaler remembers. */
export interface ScalingMemory {
  readonly recommendations: readonly Remembered[];
  readonly ups: readonly Remembered[];
  readonly downs: readonly Remembered[];
}

/** What the limits are asked about. */
export interface ScalingQuestion {
  readonly current: number;
  readonly desired: number;
  readonly min: number;
  readonly max: number;
  readonly behavior: Behavior | undefined;
  readonly memory: ScalingMemory;
  readonly now: number;
}

/** A reason in the words of a condition. */
export interface ScalingReason {
  readonly reason: string;
  readonly message: string;
}

/** What the limits leave of a recommendation. */
export interface LimitedScale {
  readonly replicas: number;
  /** Of the condition AbleToScale. */
  readonly able: ScalingReason;
  /** Of the condition ScalingLimited; `limited` is its status. */
  readonly limit: ScalingReason & { readonly limited: boolean };
}

const downWindow = 300;
const within = {
  reason: "DesiredWithinRange",
  message: "the desired count is within the acceptable range",
};
const tooMany = {
  reason: "TooManyReplicas",
  message: "the desired replica count is more than the maximum replica count",
};
const tooFew = {
  reason: "TooFewReplicas",
  message: "the desired replica count is less than the minimum replica count",
};
const tooFastUp = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate",
};
const tooFastDown = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate",
};

/** Applies the stabilisation, the rates and the bounds. */
export function limitScale(question: ScalingQuestion): LimitedScale {
  const stable = question.behavior === undefined ? heldDown(question) : heldByBehavior(question);
  const able =
    stable === question.desired
      ? { reason: "ReadyForNewScale", message: "recommended size matches current size" }
      : stable > question.desired
        ? {
            reason: "ScaleDownStabilized",
            message:
              "recent recommendations were higher than current one, applying the highest recent recommendation",
          }
        : {
            reason: "ScaleUpStabilized",
            message:
              "recent recommendations were lower than current one, applying the lowest recent recommendation",
          };
  const bound = question.behavior === undefined ? boundOf(question, stable) : ratedBound(question, stable);
  return {
    replicas: bound.replicas,
    able,
    limit: { ...bound.reason, limited: bound.replicas !== stable },
  };
}

/** The longest time for which anything has to be remembered, in milliseconds. */
export function memoryOf(behavior: Behavior | undefined): number {
  const rules = [behavior?.scaleUp, behavior?.scaleDown];
  const times = rules.flatMap((each) => [
    each?.stabilizationWindowSeconds ?? 0,
    ...(each?.policies ?? []).map(({ periodSeconds }) => periodSeconds),
  ]);
  return Math.max(downWindow, ...times) * 1000;
}

function heldDown({ desired, memory, now }: ScalingQuestion): number {
  const recent = memory.recommendations.filter(({ at }) => at > now - downWindow * 1000);
  return Math.max(desired, ...recent.map(({ replicas }) => replicas));
}

function heldByBehavior({ current, desired, behavior, memory, now }: ScalingQuestion): number {
  const recent = (rules: Rules | undefined, otherwise: number): number[] => {
    const since = now - (rules?.stabilizationWindowSeconds ?? otherwise) * 1000;
    return memory.recommendations.filter(({ at }) => at > since).map(({ replicas }) => replicas);
  };
  const up = Math.min(desired, ...recent(behavior?.scaleUp, 0));
  const down = Math.max(desired, ...recent(behavior?.scaleDown, downWindow));
  return Math.min(Math.max(current, up), down);
}

interface Bound {
  readonly replicas: number;
  readonly reason: ScalingReason;
}

function boundOf({ current, min, max }: ScalingQuestion, desired: number): Bound {
  const rate = Math.max(2 * current, 4);
  if (desired < min) return { replicas: min, reason: tooFew };
  const most = Math.min(max, rate);
  if (desired > most) return { replicas: most, reason: max > rate ? tooFastUp : tooMany };
  return { replicas: desired, reason: within };
}

function ratedBound(question: ScalingQuestion, desired: number): Bound {
  const { current, min, max, behavior } = question;
  if (desired > current) {
    const rate = Math.max(current, upLimit(question, behavior?.scaleUp));
    const most = Math.min(max, rate);
    if (desired > most) return { replicas: most, reason: max > rate ? tooFastUp : tooMany };
  } else if (desired < current) {
    const rate = Math.min(current, downLimit(question, behavior?.scaleDown));
    const least = Math.max(min, rate);
    if (desired < least) return { replicas: least, reason: min < rate ? tooFastDown : tooFew };
  }
  return { replicas: desired, reason: within };
}

function upLimit(question: ScalingQuestion, rules: Rules | undefined): number {
  if (rules?.selectPolicy === "Disabled") return question.current;
  const proposals = (rules?.policies ?? []).map(({ type, value, periodSeconds }) => {
    const start = startOf(question, periodSeconds);
    return type === "Pods" ? start + value : Math.ceil(start * (1 + value / 100));
  });
  if (proposals.length === 0) return question.max;
  return rules?.selectPolicy === "Min" ? Math.min(...proposals) : Math.max(...proposals);
}

function downLimit(question: ScalingQuestion, rules: Rules | undefined): number {
  if (rules?.selectPolicy === "Disabled") return question.current;
  const proposals = (rules?.policies ?? []).map(({ type, value, periodSeconds }) => {
    const start = startOf(question, periodSeconds);
    return type === "Pods" ? start - value : Math.trunc(start * (1 - value / 100));
  });
  if (proposals.length === 0) return question.min;
  return rules?.selectPolicy === "Min" ? Math.max(...proposals) : Math.min(...proposals);
}

/** How many replicas there were at the start of a period. */
function startOf({ current, memory, now }: ScalingQuestion, periodSeconds: number): number {
  const sum = (events: readonly Remembered[]): number =>
    events
      .filter(({ at }) => at > now - periodSeconds * 1000)
      .reduce((total, { replicas }) => total + replicas, 0);
  return current - sum(memory.ups) + sum(memory.downs);
}
