// Which pods of a replica set are deleted first when there are too many.
import type { Pod } from "../../../kinds/builtin/core.ts";
import { isPodReady, readyConditionOf } from "../../pods/pod-state.ts";

const deletionCost = "controller.kubernetes.io/pod-deletion-cost";

/**
 * The pods, those to be deleted first at the front: not scheduled, then pending, then not ready, then of lower deletion cost, then on a node
 * with more `related` pods, then ready for a shorter time, then restarted more often, then younger.
 */
export function rankForDeletion(pods: readonly Pod[], related: readonly Pod[] = []): readonly Pod[] {
  const beside = Map.groupBy(related, ({ spec }) => spec.nodeName);
  const keys = new Map(pods.map((pod) => [pod, rankOf(pod, beside.get(pod.spec.nodeName)?.length ?? 0)]));
  return [...pods].sort((a, b) => compare(keys.get(a) ?? [], keys.get(b) ?? []));
}

/** Numbers that are compared one after the other; smaller is deleted earlier. */
function rankOf(pod: Pod, beside: number): readonly number[] {
  const phases = ["Pending", "Unknown", "Running"];
  const ready = isPodReady(pod);
  const readySince = Date.parse(readyConditionOf(pod)?.lastTransitionTime ?? "");
  const restarts = (pod.status?.containerStatuses ?? []).reduce((sum, each) => sum + each.restartCount, 0);
  return [
    pod.spec.nodeName === undefined ? 0 : 1,
    phases.indexOf(pod.status?.phase ?? "Pending"),
    ready ? 1 : 0,
    Number(pod.metadata.annotations?.[deletionCost] ?? 0),
    -beside,
    ready && !Number.isNaN(readySince) ? -readySince : 0,
    -restarts,
    -Date.parse(pod.metadata.creationTimestamp),
  ];
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
