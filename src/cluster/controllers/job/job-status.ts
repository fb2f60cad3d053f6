// The state of a job, computed from its spec, its status so far and its pods: counts, whether it is over, and how many
// pods should run. Pure; the controller writes the status and makes and deletes the pods.
import type { Job } from "../../../kinds/builtin/batch.ts";
import type { Pod } from "../../../kinds/builtin/core.ts";
import { isConditionTrue, type WorkloadCondition } from "../../../kinds/builtin/workload-condition.ts";
import { toTimestamp } from "../../../meta/condition.ts";
import { isPodActive, isPodFinished, isPodReady, isPodTerminating } from "../../pods/pod-state.ts";
import { withoutZeros, withWorkloadCondition } from "../workload-status.ts";
import { afterMore, backoffLeft, noFailures, type FailureRow } from "./job-backoff.ts";
import { formatIndexes, indexOf, isTracked, parseIndexes } from "./job-pods.ts";
import {
  earlySuccessOf,
  failedIndexesOf,
  isFailed,
  meaningOf,
  replacesOnlyFailed,
  waitingFailures,
} from "./job-policies.ts";

/** The status with the fields that only this controller reads. */
export interface JobProgress extends NonNullable<Job["status"]> {
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  /** Pods that are counted, but still have the tracking finalizer. */
  readonly uncountedTerminatedPods?: {
    readonly succeeded?: readonly string[];
    readonly failed?: readonly string[];
  };
}

/** What follows from the state of a job. */
export interface JobVerdict {
  readonly status: JobProgress;
  /** Pods that are counted by this status: their finalizer can go once it is written. */
  readonly counted: readonly Pod[];
  /** How many pods should be active. */
  readonly wanted: number;
  /** How many pods that are being deleted have a place still: of a job that replaces only those that have failed. */
  readonly leaving: number;
  /** Its failures in a row, the new ones included. */
  readonly row: FailureRow;
  /** Whether it is decided how the job ends: pods that still run count as failed. */
  readonly isOver: boolean;
  /** Milliseconds until the deadline or the end of the back-off. */
  readonly requeueAfter: number | undefined;
}

/** Defaults of the API, for a server that does not write them. */
const defaultBackoffLimit = 6;

/** Whether the job is over. */
export function isJobFinished(job: Job): boolean {
  const { conditions } = job.status ?? {};
  return isConditionTrue(conditions, "Complete") || isConditionTrue(conditions, "Failed");
}

/** The new state of a job that is not over. `known` are its failures in a row so far, if they are remembered; else its pods tell. */
export function judgeJob(job: Job, pods: readonly Pod[], now: number, known?: FailureRow): JobVerdict {
  const before: JobProgress = job.status ?? {};
  const active = pods.filter((pod) => isPodActive(pod));
  const terminating = pods.filter((pod) => isPodTerminating(pod) && !isPodFinished(pod)).length;
  const suspended = job.spec.suspend === true;
  const startTime = suspended ? undefined : (before.startTime ?? toTimestamp(now));
  // Once it is decided how a job ends, the pods that are ended by that fail no index.
  const failedIndexes =
    decisionOf(job) === undefined
      ? failedIndexesOf(job, before.failedIndexes ?? "", pods)
      : parseIndexes(before.failedIndexes ?? "");
  const judge = (count: PodCount): Outcome | undefined =>
    outcomeOf(job, { ...count, active, now, startTime, completed: count.indexes, failedIndexes, pods });
  const waiting = waitingFailures(job, pods, { failedIndexes, now });
  let count = countPods(job, before, pods, (pod) => isFailed(job, pod) && !waiting.has(pod));
  const outcome = judge(count);
  // Of a job that is over nothing is waited for.
  if (outcome !== undefined)
    count = countPods(job, before, pods, (pod) => isFailed(job, pod) || isPodTerminating(pod));
  const running = outcome === undefined && !suspended ? active.length : 0;
  const conditions = conditionsOf(job, outcome, active.length + terminating + count.pods.length, now);
  const complete = conditions.some((each) => each.type === "Complete" && each.status === "True");
  const indexes = formatIndexes(count.indexes);
  const uncounted = withoutZeros({ succeeded: count.uncounted.succeeded, failed: count.uncounted.failed });
  const row = afterMore(known ?? rowOf(pods, now), count.fresh, now);
  // Where failures are counted by index, so is the time until the next try.
  const wait = job.spec.backoffLimitPerIndex === undefined ? backoffLeft(row, now) : 0;
  const wanted =
    outcome !== undefined || suspended
      ? 0
      : wantedPods(job, count.succeeded + failedIndexes.length, active.length);
  return {
    status: {
      ...withoutZeros({
        ...(startTime === undefined ? {} : { startTime }),
        ...(complete ? { completionTime: before.completionTime ?? toTimestamp(now) } : {}),
        active: running,
        succeeded: count.succeeded,
        failed: count.failed,
        conditions,
        ...(job.spec.completionMode === "Indexed" && indexes !== "" ? { completedIndexes: indexes } : {}),
      }),
      // Always there where failures are counted by index.
      ...(job.spec.backoffLimitPerIndex === undefined ? {} : { failedIndexes: formatIndexes(failedIndexes) }),
      // Always there, also where they say nothing.
      ready: running === 0 ? 0 : active.filter(isPodReady).length,
      terminating: complete ? 0 : terminating,
      uncountedTerminatedPods: uncounted,
    },
    counted: count.pods,
    isOver: outcome !== undefined,
    // No new pods during the back-off, but none is taken away either.
    wanted: wait > 0 ? Math.min(wanted, active.length) : wanted,
    leaving: replacesOnlyFailed(job) ? terminating : 0,
    row,
    requeueAfter: outcome === undefined ? earliest(wait, deadlineLeft(job, startTime, now)) : undefined,
  };
}

/** The failures in a row that pods tell of which are counted already: after a restart, when nothing else is known. */
function rowOf(pods: readonly Pod[], now: number): FailureRow {
  return afterMore(
    noFailures,
    pods.filter((pod) => isPodFinished(pod) && !isTracked(pod)),
    now,
  );
}

interface PodCount {
  readonly succeeded: number;
  readonly failed: number;
  /** Indexes that have succeeded, with those from before. */
  readonly indexes: readonly number[];
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  readonly pods: readonly Pod[];
  /** Those of them that were not counted before. */
  readonly fresh: readonly Pod[];
}

/** Counts each tracked pod that has succeeded or `fails` exactly once: also when the finalizer could not be removed. */
function countPods(
  job: Job,
  before: JobProgress,
  pods: readonly Pod[],
  fails: (pod: Pod) => boolean,
): PodCount {
  const isSuccess = (pod: Pod): boolean => pod.status?.phase === "Succeeded";
  const done = pods.filter((pod) => isTracked(pod) && (isSuccess(pod) || fails(pod)));
  const known = new Set([
    ...(before.uncountedTerminatedPods?.succeeded ?? []),
    ...(before.uncountedTerminatedPods?.failed ?? []),
  ]);
  const fresh = done.filter((pod) => !known.has(pod.metadata.uid));
  const isIgnored = (pod: Pod): boolean =>
    pod.status?.phase === "Failed" && meaningOf(job, pod).action === "Ignore";
  const uid = (pod: Pod): string => pod.metadata.uid;
  const indexed = job.spec.completionMode === "Indexed";
  const indexes = new Set(
    [
      ...parseIndexes(before.completedIndexes ?? ""),
      ...done.filter(isSuccess).flatMap((pod) => indexOf(pod) ?? []),
    ].filter((index) => index < (job.spec.completions ?? Infinity)),
  );
  return {
    // Of an indexed job each index counts once, and none beyond its completions, which may have become fewer.
    succeeded: indexed ? indexes.size : (before.succeeded ?? 0) + fresh.filter(isSuccess).length,
    failed: (before.failed ?? 0) + fresh.filter((pod) => !isSuccess(pod) && !isIgnored(pod)).length,
    indexes: [...indexes],
    uncounted: {
      succeeded: done.filter(isSuccess).map(uid),
      failed: done.filter((pod) => !isSuccess(pod) && !isIgnored(pod)).map(uid),
    },
    pods: done,
    fresh,
  };
}

type Outcome = { readonly type: "Complete" | "Failed"; readonly reason: string; readonly message: string };

/** The condition that says how a job will end. */
function decisionOf({ status }: Job): WorkloadCondition | undefined {
  return status?.conditions?.find(
    (each) => each.status === "True" && (each.type === "FailureTarget" || each.type === "SuccessCriteriaMet"),
  );
}

function outcomeOf(
  job: Job,
  facts: {
    readonly succeeded: number;
    readonly failed: number;
    readonly active: readonly Pod[];
    readonly startTime: string | undefined;
    readonly now: number;
    readonly pods: readonly Pod[];
    /** Indexes, where the job has some. */
    readonly completed: readonly number[];
    readonly failedIndexes: readonly number[];
  },
): Outcome | undefined {
  const target = decisionOf(job);
  if (target !== undefined) {
    const type = target.type === "FailureTarget" ? "Failed" : "Complete";
    return { type, reason: target.reason ?? "", message: target.message ?? "" };
  }
  const byPolicy = facts.pods
    .filter((pod) => pod.status?.phase === "Failed" && isTracked(pod))
    .map((pod) => meaningOf(job, pod))
    .find(({ action }) => action === "FailJob");
  if (byPolicy !== undefined)
    return { type: "Failed", reason: "PodFailurePolicy", message: byPolicy.message };
  const limit = job.spec.backoffLimit ?? defaultBackoffLimit;
  const restarts = facts.active
    .flatMap((pod) => [
      ...(pod.status?.containerStatuses ?? []),
      ...(pod.status?.initContainerStatuses ?? []),
    ])
    .reduce((total, each) => total + each.restartCount, 0);
  const restartsFail =
    job.spec.template.spec.restartPolicy === "OnFailure" && (limit === 0 ? restarts > 0 : restarts >= limit);
  if (facts.failed > limit || restartsFail) {
    const message = "Job has reached the specified backoff limit";
    return { type: "Failed", reason: "BackoffLimitExceeded", message };
  }
  if (deadlineLeft(job, facts.startTime, facts.now) === 0) {
    const message = "Job was active longer than specified deadline";
    return { type: "Failed", reason: "DeadlineExceeded", message };
  }
  const { completions, maxFailedIndexes } = job.spec;
  const failedOnes = facts.failedIndexes.length;
  if (maxFailedIndexes !== undefined && failedOnes > maxFailedIndexes) {
    const message = "Job has exceeded the specified maximal number of failed indexes";
    return { type: "Failed", reason: "MaxFailedIndexesExceeded", message };
  }
  if (failedOnes > 0 && failedOnes + new Set(facts.completed).size >= (completions ?? 0)) {
    return { type: "Failed", reason: "FailedIndexes", message: "Job has failed indexes" };
  }
  if (job.spec.suspend === true) return undefined;
  const early = earlySuccessOf(job, facts.completed);
  if (early !== undefined) return { type: "Complete", reason: "SuccessPolicy", message: early };
  const complete =
    completions === undefined
      ? facts.succeeded > 0 && facts.active.length === 0
      : facts.succeeded >= completions;
  const message = "Reached expected number of succeeded pods";
  return complete ? { type: "Complete", reason: "CompletionsReached", message } : undefined;
}

function conditionsOf(
  job: Job,
  outcome: Outcome | undefined,
  left: number,
  now: number,
): readonly WorkloadCondition[] {
  const time = toTimestamp(now);
  let conditions = job.status?.conditions ?? [];
  const set = (type: string, status: "True" | "False", reason: string, message: string): void => {
    const updated = withWorkloadCondition(conditions, { type, status, reason, message }, now);
    if (updated !== conditions) {
      conditions = updated.map((each) => (each.type === type ? { ...each, lastProbeTime: time } : each));
    }
  };
  if (outcome !== undefined) {
    set(
      outcome.type === "Failed" ? "FailureTarget" : "SuccessCriteriaMet",
      "True",
      outcome.reason,
      outcome.message,
    );
    // The verdict is final only when no pod of the job runs any more, and every one is counted and let go.
    if (left === 0) set(outcome.type, "True", outcome.reason, outcome.message);
    return conditions;
  }
  const suspended = conditions.find((each) => each.type === "Suspended");
  if (job.spec.suspend === true) set("Suspended", "True", "JobSuspended", "Job suspended");
  else if (suspended?.status === "True") set("Suspended", "False", "JobResumed", "Job resumed");
  return conditions;
}

function wantedPods({ spec }: Job, succeeded: number, active: number): number {
  const parallelism = spec.parallelism ?? 1;
  // Without a number of completions, one success means that the others should find their end by themselves.
  if (spec.completions === undefined) return succeeded > 0 ? active : parallelism;
  return Math.min(parallelism, Math.max(0, spec.completions - succeeded));
}

function deadlineLeft({ spec }: Job, startTime: string | undefined, now: number): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || startTime === undefined) return undefined;
  return Math.max(0, Date.parse(startTime) + spec.activeDeadlineSeconds * 1000 - now);
}

function earliest(wait: number, deadline: number | undefined): number | undefined {
  const waits = [wait, deadline].filter((each) => each !== undefined && each > 0) as number[];
  return waits.length === 0 ? undefined : Math.min(...waits);
}
