// How long a job waits before it tries again: longer after each failure in a row, and from the start after a success. Pure.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/pkg/controller/job/backoff_utils.go
import type { Pod } from "../../../kinds/builtin/core.ts";
import { readyConditionOf } from "../../pods/pod-state.ts";
import { backoffDelay } from "../../../ports/backoff.ts";

/** The failures of a job since its last success. */
export interface FailureRow {
  readonly failures: number;
  /** When the last of them was. */
  readonly last: number;
}

/** The row of a job in which nothing has failed. */
export const noFailures: FailureRow = { failures: 0, last: 0 };

/** Delay before the first new pod after a failure, and the longest one, in milliseconds. */
const backoff = { first: 10_000, longest: 600_000 };

/** The row after more pods have ended, whether their failure counts or is ignored. */
export function afterMore(row: FailureRow, ended: readonly Pod[], now: number): FailureRow {
  const isSuccess = (pod: Pod): boolean => pod.status?.phase === "Succeeded";
  const times = (pods: readonly Pod[]): readonly number[] => pods.map((pod) => endOf(pod, now));
  const successes = times(ended.filter(isSuccess));
  const failures = times(ended.filter((pod) => !isSuccess(pod)));
  if (successes.length === 0) {
    return failures.length === 0
      ? row
      : { failures: row.failures + failures.length, last: Math.max(...failures) };
  }
  const since = failures.filter((time) => time > Math.max(...successes));
  return since.length === 0 ? noFailures : { failures: since.length, last: Math.max(...since) };
}

/** Milliseconds until a new pod may follow the last that failed. */
export function backoffLeft({ failures, last }: FailureRow, now: number): number {
  return failures === 0 ? 0 : Math.max(0, last + backoffDelay(backoff, failures) - now);
}

/** When a pod has ended: its last container, else when it was not ready any more, else when it was deleted. */
export function endOf(pod: Pod, now: number): number {
  const { metadata, status } = pod;
  const containers = status?.containerStatuses ?? [];
  const ends = containers.map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ""));
  if (ends.length > 0 && !ends.some(Number.isNaN)) return Math.max(...ends);
  const ready = readyConditionOf(pod);
  const unready = ready?.status === "False" ? Date.parse(ready.lastTransitionTime ?? "") : Number.NaN;
  if (!Number.isNaN(unready)) return unready;
  const grace =
    (metadata as { readonly deletionGracePeriodSeconds?: number }).deletionGracePeriodSeconds ?? 0;
  const deleted = Date.parse(metadata.deletionTimestamp ?? "") - grace * 1_000;
  return Number.isNaN(deleted) ? now : deleted;
}
