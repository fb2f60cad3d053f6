// The status of a daemon set, computed from its nodes and pods. Pure.
import type { DaemonSet } from "../../../kinds/builtin/apps.ts";
import { isPodReady } from "../../pods/pod-state.ts";
import { revisionLabel } from "../template-revisions.ts";
import { withoutZeros } from "../workload-status.ts";
import { isAvailable, nodePodsOf, type DaemonState } from "./daemon-plan.ts";

/** The status. */
export function daemonStatus(
  state: DaemonState & { readonly collisionCount: number },
): NonNullable<DaemonSet["status"]> {
  const nodes = nodePodsOf(state);
  const wanted = nodes.filter(({ runs }) => runs);
  // Of several pods of a node the oldest counts: while another takes its place beside it, the node is not updated yet.
  const count = (fits: (pod: DaemonState["pods"][number]) => boolean): number =>
    wanted.filter(({ pods }) => pods.slice(0, 1).some(fits)).length;
  const available = count((pod) => isAvailable(pod, state));
  return {
    currentNumberScheduled: wanted.filter(({ pods }) => pods.length > 0).length,
    desiredNumberScheduled: wanted.length,
    numberMisscheduled: nodes.filter(({ runs, pods }) => !runs && pods.length > 0).length,
    numberReady: count(isPodReady),
    ...withoutZeros({
      observedGeneration: state.set.metadata.generation ?? 0,
      updatedNumberScheduled: count((pod) => pod.metadata.labels?.[revisionLabel] === state.hash),
      numberAvailable: available,
      numberUnavailable: wanted.length - available,
      collisionCount: state.collisionCount,
      conditions: state.set.status?.conditions ?? [],
    }),
  };
}
