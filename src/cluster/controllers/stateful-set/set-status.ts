// The status of a stateful set, computed from its pods. Pure.
import type { StatefulSet } from "../../../kinds/builtin/apps.ts";
import { availableIn, isPodReady, isPodTerminating } from "../../pods/pod-state.ts";
import { withoutZeros } from "../workload-status.ts";
import type { SetState } from "./set-plan.ts";
import { revisionLabel } from "../template-revisions.ts";

/** The status; when the last pod has the new revision and is ready, that revision becomes the current one. */
export function setStatus(
  state: SetState & { readonly collisionCount: number },
): NonNullable<StatefulSet["status"]> {
  const { set, pods, updateRevision, now, collisionCount } = state;
  const alive = pods.filter((pod) => !isPodTerminating(pod));
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isPodReady(pod));
  const available = pods.filter(
    (pod) => pod.status?.phase === "Running" && availableIn(pod, set.spec.minReadySeconds ?? 0, now) === 0,
  );
  const ofRevision = (revision: string): number =>
    alive.filter((pod) => pod.metadata.labels?.[revisionLabel] === revision).length;
  const updated = ofRevision(updateRevision);
  const complete =
    set.spec.updateStrategy?.type !== "OnDelete" && updated === pods.length && ready.length === pods.length;
  const currentRevision = complete ? updateRevision : state.currentRevision;
  return {
    replicas: pods.length,
    // The API's own type always shows this count.
    availableReplicas: available.length,
    currentRevision,
    updateRevision,
    collisionCount,
    ...withoutZeros({
      observedGeneration: set.metadata.generation ?? 0,
      readyReplicas: ready.length,
      currentReplicas: ofRevision(currentRevision),
      updatedReplicas: updated,
      conditions: set.status?.conditions ?? [],
    }),
  };
}
