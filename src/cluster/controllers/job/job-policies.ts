// The policies of a job: what the failure of a pod means, which indexes have failed, and when enough have succeeded. Pure.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/pkg/controller/job
import type { Job } from "../../../kinds/builtin/batch.ts";
import type { Pod } from "../../../kinds/builtin/core.ts";
import { isPodActive, isPodTerminating } from "../../pods/pod-state.ts";
import { backoffLeft, endOf } from "./job-backoff.ts";
import { failureCountKey, ignoredCountKey, indexOf, isTracked, parseIndexes } from "./job-pods.ts";

type FailureRule = NonNullable<Job["spec"]["podFailurePolicy"]>["rules"][number];

/** What the failure of a pod comes to. */
export interface FailureMeaning {
  readonly action: "Count" | "FailIndex" | "FailJob" | "Ignore";
  /** What is said of a job that fails by it. */
  readonly message: string;
}

/** What the first rule that matches a failed pod says; without one it counts. */
export function meaningOf({ spec }: Job, pod: Pod): FailureMeaning {
  for (const [index, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const why = matchOf(rule, pod);
    if (why === undefined) continue;
    const action = rule.action as FailureMeaning["action"];
    return { action, message: `${why} matching ${action} rule at index ${index}` };
  }
  return { action: "Count", message: "" };
}

function matchOf({ onExitCodes, onPodConditions }: FailureRule, pod: Pod): string | undefined {
  const { namespace, name } = pod.metadata;
  if (onExitCodes !== undefined) {
    const { containerName, operator, values } = onExitCodes;
    const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
    for (const { name: container, state } of statuses) {
      const { exitCode = 0 } = state?.terminated ?? {};
      if (exitCode === 0 || (containerName ?? container) !== container) continue;
      if (values.includes(exitCode) !== (operator === "In")) continue;
      return `Container ${container} for pod ${namespace}/${name} failed with exit code ${exitCode}`;
    }
    return undefined;
  }
  for (const { type, status = "True" } of onPodConditions ?? []) {
    const isSo = pod.status?.conditions?.some((each) => each.type === type && each.status === status);
    if (isSo === true) return `Pod ${namespace}/${name} has condition ${type}`;
  }
  return undefined;
}

/** Whether a pod is replaced only when it has failed, not already when it is deleted. */
export function replacesOnlyFailed({ spec }: Job): boolean {
  return spec.podReplacementPolicy === "Failed" || spec.podFailurePolicy !== undefined;
}

/** Whether a pod counts as failed: also one that is being deleted, unless the job waits for its end. */
export function isFailed(job: Job, pod: Pod): boolean {
  const phase = pod.status?.phase;
  return phase === "Failed" || (!replacesOnlyFailed(job) && isPodTerminating(pod) && phase !== "Succeeded");
}

/** How often the pods of an index have failed. */
export interface IndexFailures {
  readonly counted: number;
  readonly ignored: number;
}

/** How often pods of an index have failed, as a pod tells: those before it by its annotations, and itself. */
function failuresIn(job: Job, pod: Pod): IndexFailures {
  const { annotations = {} } = pod.metadata;
  const before = (key: string): number => Number(annotations[key] ?? 0);
  const isIgnored = pod.status?.phase === "Failed" && meaningOf(job, pod).action === "Ignore";
  return {
    counted: before(failureCountKey) + (isIgnored ? 0 : 1),
    ignored: before(ignoredCountKey) + (isIgnored ? 1 : 0),
  };
}

/** How often pods of an index have failed, as the pods that are there tell. */
export function failuresOf(job: Job, pods: readonly Pod[], index: number): IndexFailures {
  return pods
    .filter((pod) => indexOf(pod) === index && isFailed(job, pod))
    .map((pod) => failuresIn(job, pod))
    .reduce(
      (most, each) => ({
        counted: Math.max(most.counted, each.counted),
        ignored: Math.max(most.ignored, each.ignored),
      }),
      { counted: 0, ignored: 0 },
    );
}

/**
 * The last pod that has failed of each index that waits for its next try, where a job counts failures by index: these pods are kept, and are not
 * counted, until others have taken over how often they have failed.
 */
export function waitingFailures(
  job: Job,
  pods: readonly Pod[],
  { failedIndexes, now }: { readonly failedIndexes: readonly number[]; readonly now: number },
): ReadonlySet<Pod> {
  if (job.spec.backoffLimitPerIndex === undefined) return new Set();
  const done = new Set([
    ...failedIndexes,
    ...parseIndexes(job.status?.completedIndexes ?? ""),
    ...pods.filter((pod) => isPodActive(pod) || pod.status?.phase === "Succeeded").map(indexOf),
  ]);
  const last = new Map<number, Pod>();
  for (const pod of pods) {
    const index = indexOf(pod);
    if (index === undefined || done.has(index) || !isTracked(pod) || !isFailed(job, pod)) continue;
    const other = last.get(index);
    if (other === undefined || endOf(other, now) <= endOf(pod, now)) last.set(index, pod);
  }
  return new Set(last.values());
}

/** Milliseconds until an index may be tried again, where a job counts failures by index. */
export function waitOfIndex(job: Job, pods: readonly Pod[], index: number, now: number): number {
  if (job.spec.backoffLimitPerIndex === undefined) return 0;
  const { counted, ignored } = failuresOf(job, pods, index);
  const ends = pods
    .filter((pod) => indexOf(pod) === index && isFailed(job, pod))
    .map((pod) => endOf(pod, now));
  return ends.length === 0 ? 0 : backoffLeft({ failures: counted + ignored, last: Math.max(...ends) }, now);
}

/** Indexes that have failed for good. */
export function failedIndexesOf(job: Job, before: string, pods: readonly Pod[]): readonly number[] {
  const { backoffLimitPerIndex } = job.spec;
  if (backoffLimitPerIndex === undefined) return [];
  const fresh = pods
    .filter((pod) => pod.status?.phase === "Failed")
    .flatMap((pod) => {
      const index = indexOf(pod);
      const isOver =
        index !== undefined &&
        (meaningOf(job, pod).action === "FailIndex" ||
          failuresOf(job, pods, index).counted > backoffLimitPerIndex);
      return isOver ? [index] : [];
    });
  return [...new Set([...parseIndexes(before), ...fresh])];
}

/** Why a job has succeeded before all of it has; undefined while it has not. */
export function earlySuccessOf({ spec }: Job, succeeded: readonly number[]): string | undefined {
  for (const [index, rule] of (spec.successPolicy?.rules ?? []).entries()) {
    const { succeededIndexes, succeededCount } = rule;
    const asked = succeededIndexes === undefined ? undefined : parseIndexes(succeededIndexes);
    const found = asked === undefined ? succeeded : asked.filter((each) => succeeded.includes(each));
    if (found.length >= (succeededCount ?? asked?.length ?? Infinity))
      return `Matched rules at index ${index}`;
  }
  return undefined;
}
