// What the built-in controllers ask of a pod. Pure; fed from the cache.
import type { Pod } from "../../kinds/builtin/core.ts";
import type { Container } from "../../kinds/builtin/parts.ts";
import type { WorkloadCondition } from "../../kinds/builtin/workload-condition.ts";

/** The Ready condition, if the pod runtime has written one. */
export function readyConditionOf(pod: Pod): WorkloadCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === "Ready");
}

/** Whether the pod's Ready condition is True. */
export function isPodReady(pod: Pod): boolean {
  return readyConditionOf(pod)?.status === "True";
}

/** Whether the pod has ended by itself: Succeeded or Failed. */
export function isPodFinished(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

/** Whether deletion of the pod was asked for. */
export function isPodTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

/** Whether the pod counts as a replica: neither finished nor being deleted. */
export function isPodActive(pod: Pod): boolean {
  return !isPodFinished(pod) && !isPodTerminating(pod);
}

/**
 * Milliseconds until a ready pod counts as available: 0 when it does, undefined when it is not ready.
 * A pod is available once it has been ready for `minReadySeconds` without a break.
 */
export function availableIn(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  const ready = readyConditionOf(pod);
  if (ready?.status !== "True") return undefined;
  if (minReadySeconds <= 0) return 0;
  const since = Date.parse(ready.lastTransitionTime ?? "");
  return Number.isNaN(since) ? undefined : Math.max(0, since + minReadySeconds * 1000 - now);
}

/** The number of a port that is given as a number or by name; undefined when no such port is declared. */
export function portNumberOf(
  containers: readonly Pick<Container, "ports">[],
  port: number | string,
): number | undefined {
  if (typeof port === "number") return port;
  for (const container of containers) {
    const named = container.ports?.find((each) => each.name === port);
    if (named !== undefined) return named.containerPort;
  }
  return /^\d+$/.test(port) ? Number(port) : undefined;
}

/** Milliseconds until the next ready pod becomes available; undefined when none will by mere waiting. */
export function untilAvailable(
  pods: readonly Pod[],
  minReadySeconds: number,
  now: number,
): number | undefined {
  const waits = pods.flatMap((pod) => {
    const wait = availableIn(pod, minReadySeconds, now);
    return wait === undefined || wait === 0 ? [] : [wait];
  });
  return waits.length === 0 ? undefined : Math.min(...waits);
}
