// The policies of a job: what the failure of a pod means, which indexes have failed, and when enough have succeeded. Pure.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/pkg/controller/job
import type { Job } from "../../../kinds/builtin/batch.ts";
import type { Pod } from "../../../kinds/builtin/core.ts";
import { failureCountKey, indexOf, parseIndexes } from "./job-pods.ts";

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

/** How often pods of an index have failed, as the pods that are there tell. */
export function failuresOf(job: Job, pods: readonly Pod[], index: number): number {
  return pods
    .filter((pod) => indexOf(pod) === index && pod.status?.phase === "Failed")
    .reduce((most, pod) => {
      const before = Number(pod.metadata.annotations?.[failureCountKey] ?? 0);
      return Math.max(most, meaningOf(job, pod).action === "Ignore" ? before : before + 1);
    }, 0);
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
        (meaningOf(job, pod).action === "FailIndex" || failuresOf(job, pods, index) > backoffLimitPerIndex);
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
