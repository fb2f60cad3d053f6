// How many replicas a metric asks for: pure arithmetic on what was measured, as kube-controller-manager does it.
// https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#algorithm-details

/** How far a ratio may be from 1 before anything is changed. */
export interface Tolerance {
  readonly up: number;
  readonly down: number;
}

/** The pods of a target by what can be said of them. */
export interface PodGroups {
  /** Measured values of the pods that count, in thousandths. */
  readonly measured: ReadonlyMap<string, number>;
  /** Pods that are not ready yet. */
  readonly unready: readonly string[];
  /** Pods of which nothing was measured. */
  readonly missing: readonly string[];
}

/** A target for the mean of all pods, and what each pod asks for where the target is a part of that. */
export interface PodTarget {
  /** In thousandths, or in percent of the requests. */
  readonly value: number;
  /** In thousandths, by pod; undefined: the target is a value. */
  readonly requests?: ReadonlyMap<string, number>;
}

/** What one metric comes to. */
export interface Proposal {
  readonly replicas: number;
  /** The mean of a pod, in thousandths. */
  readonly average: number;
  /** Percent of the requests. */
  readonly utilization?: number;
}

/** The replicas that a mean of pods asks for. */
export function replicasForPods(
  current: number,
  { measured, unready, missing }: PodGroups,
  target: PodTarget,
  tolerance: Tolerance,
): Proposal {
  const first = ratioOf(measured, target);
  const growsBesideUnready = unready.length > 0 && first.ratio > 1;
  const outcome = (replicas: number): Proposal => ({
    replicas,
    average: first.average,
    ...(first.utilization === undefined ? {} : { utilization: first.utilization }),
  });
  if (!growsBesideUnready && missing.length === 0) {
    return outcome(isWithin(first.ratio, tolerance) ? current : Math.ceil(first.ratio * measured.size));
  }
  const completed = new Map(measured);
  // Whatever is not known is taken for what holds the change back.
  for (const pod of missing) {
    if (first.ratio < 1) completed.set(pod, fullUse(pod, target));
    else if (first.ratio > 1) completed.set(pod, 0);
  }
  if (growsBesideUnready) for (const pod of unready) completed.set(pod, 0);
  const { ratio } = ratioOf(completed, target);
  const isTurned = (first.ratio < 1 && ratio > 1) || (first.ratio > 1 && ratio < 1);
  if (isWithin(ratio, tolerance) || isTurned) return outcome(current);
  const replicas = Math.ceil(ratio * completed.size);
  const isAgainst = (ratio < 1 && replicas > current) || (ratio > 1 && replicas < current);
  return outcome(isAgainst ? current : replicas);
}

/** The replicas that one value for all of them asks for. `ready`: pods that are ready. */
export function replicasForValue(
  { current, ready }: { readonly current: number; readonly ready: number },
  usage: number,
  target: number,
  tolerance: Tolerance,
): number {
  const ratio = usage / target;
  if (current === 0) return Math.ceil(ratio);
  return isWithin(ratio, tolerance) ? current : Math.ceil(ratio * ready);
}

/** The replicas among which one value is shared. */
export function replicasForShare(
  current: number,
  usage: number,
  target: number,
  tolerance: Tolerance,
): Proposal {
  const isFine = isWithin(usage / (target * current), tolerance);
  return { replicas: isFine ? current : Math.ceil(usage / target), average: Math.ceil(usage / current) };
}

function isWithin(ratio: number, { up, down }: Tolerance): boolean {
  return ratio >= 1 - down && ratio <= 1 + up;
}

function fullUse(pod: string, { value, requests }: PodTarget): number {
  if (requests === undefined) return value;
  return ((requests.get(pod) ?? 0) * Math.max(100, value)) / 100;
}

function ratioOf(
  measured: ReadonlyMap<string, number>,
  { value, requests }: PodTarget,
): { readonly ratio: number; readonly average: number; readonly utilization?: number } {
  const sum = [...measured.values()].reduce((total, each) => total + each, 0);
  const average = Math.trunc(sum / measured.size);
  if (requests === undefined) return { ratio: average / value, average };
  const asked = [...measured.keys()].reduce((total, pod) => total + (requests.get(pod) ?? 0), 0);
  const utilization = Math.trunc((sum * 100) / asked);
  return { ratio: utilization / value, average, utilization };
}
