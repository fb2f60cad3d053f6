// The pods of a job: how they are made, and the finalizer that keeps each until it has been counted. Pure.
import { Job } from "../../../kinds/builtin/batch.ts";
import type { Pod } from "../../../kinds/builtin/core.ts";
import type { Container } from "../../../kinds/builtin/parts.ts";
import type { ManifestOf } from "../../../meta/object.ts";
import type { Random } from "../../../ports/random.ts";
import { controllerReference } from "../ownership.ts";
import { namedAfter, podFromTemplate } from "../pod-template.ts";
import { rankForDeletion } from "../replica-set/pod-ranking.ts";

/** Kept on a pod until the job's status counts it. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking";

const indexKey = "batch.kubernetes.io/job-completion-index";

/** Whether the pod is still to be counted. */
export function isTracked(pod: Pod): boolean {
  return pod.metadata.finalizers?.includes(trackingFinalizer) ?? false;
}

/** The completion index of a pod of an indexed job. */
export function indexOf(pod: Pod): number | undefined {
  const text = pod.metadata.annotations?.[indexKey];
  return text === undefined ? undefined : Number(text);
}

/** How often pods of an index had failed when a pod was made. */
export const failureCountKey = "batch.kubernetes.io/job-index-failure-count";

/** How often pods of an index had failed in a way that is ignored. */
export const ignoredCountKey = "batch.kubernetes.io/job-index-ignored-failure-count";

/** A new pod of a job; with an index when the job is indexed, and how often that has failed where it is counted. */
export function jobPod(
  job: Job,
  index: number | undefined,
  random: Random,
  failures?: { readonly counted: number; readonly ignored: number },
): ManifestOf<Pod> {
  const { name, namespace } = job.metadata;
  const owner = controllerReference(Job, job);
  const base = index === undefined ? name : `${name}-${index}`;
  const pod = podFromTemplate(job.spec.template, { namespace, ...namedAfter(base, random), owner });
  const counted = {
    ...(failures === undefined ? {} : { [failureCountKey]: String(failures.counted) }),
    ...((failures?.ignored ?? 0) === 0 ? {} : { [ignoredCountKey]: String(failures?.ignored) }),
  };
  const { restartPolicy = "Never" } = job.spec.template.spec;
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: {
        ...pod.metadata.labels,
        ...(index === undefined ? {} : { [indexKey]: String(index) }),
      },
      ...(index === undefined
        ? {}
        : { annotations: { ...pod.metadata.annotations, [indexKey]: String(index), ...counted } }),
      finalizers: [trackingFinalizer],
    },
    spec: {
      ...pod.spec,
      restartPolicy,
      ...(index === undefined
        ? {}
        : {
            hostname: base,
            containers: pod.spec.containers.map(withIndex),
            ...(pod.spec.initContainers === undefined
              ? {}
              : { initContainers: pod.spec.initContainers.map(withIndex) }),
          }),
    },
  };
}

/**
 * The active pods that a job is better off without, at least so many of them: first those of indexes that it does not have, or has another pod
 * for, then those that are deleted first of any workload.
 */
export function surplusPods({ spec }: Job, active: readonly Pod[], atLeast: number): readonly Pod[] {
  const ranked = rankForDeletion(active);
  const { completionMode, completions = 0 } = spec;
  const kept = new Set<number>();
  const odd = new Set<Pod>();
  // Of several pods of an index the one stays that would be deleted last.
  for (const pod of completionMode === "Indexed" ? ranked.toReversed() : []) {
    const index = indexOf(pod);
    if (index === undefined || index >= completions || kept.has(index)) odd.add(pod);
    else kept.add(index);
  }
  const others = ranked.filter((pod) => !odd.has(pod));
  return [...odd, ...others.slice(0, Math.max(0, atLeast - odd.size))];
}

/** Completion indexes that no pod has finished or works on, lowest first. */
export function freeIndexes(
  completions: number,
  taken: ReadonlySet<number>,
  count: number,
): readonly number[] {
  const free: number[] = [];
  for (let index = 0; index < completions && free.length < count; index += 1) {
    if (!taken.has(index)) free.push(index);
  }
  return free;
}

/** Indexes as the status writes them: `0-2,4,6`; two that follow each other are no range. */
export function formatIndexes(indexes: Iterable<number>): string {
  const sorted = [...new Set(indexes)].sort((a, b) => a - b);
  const ranges: [number, number][] = [];
  for (const index of sorted) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else ranges.push([index, index]);
  }
  return ranges
    .map(([from, to]) => (from === to ? String(from) : `${from}${to === from + 1 ? "," : "-"}${to}`))
    .join(",");
}

/** The most completions that an indexed job has; a status may say anything. */
const mostIndexes = 100_000;

/** The inverse of {@link formatIndexes}. */
export function parseIndexes(text: string): readonly number[] {
  return text
    .split(",")
    .filter((range) => range !== "")
    .flatMap((range) => {
      const [from = 0, to = from] = range.split("-").map(Number);
      const length = Math.min(mostIndexes, Math.max(0, to - from + 1)) || 0;
      return Array.from({ length }, (_, step) => from + step);
    });
}

/** The container with its index in the environment, unless it says itself what that is. */
function withIndex(container: Container): Container {
  const env = container.env ?? [];
  const name = "JOB_COMPLETION_INDEX";
  if (env.some((each) => each.name === name)) return container;
  const valueFrom = { fieldRef: { fieldPath: `metadata.labels['${indexKey}']` } };
  return { ...container, env: [...env, { name, valueFrom }] };
}
