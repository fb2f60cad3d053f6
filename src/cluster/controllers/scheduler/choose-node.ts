// Chooses the node of a pod, or says why there is none, as kube-scheduler writes it. Pure.
import type { Node, Pod } from "../../../kinds/builtin/core.ts";
import type { Surroundings } from "./beside-pods.ts";
import { tolerates } from "../node/node-fit.ts";
import { runsPods } from "../node/node-object.ts";
import { refusalBy, type NodeRefusal } from "./node-filters.ts";
import { demandOf } from "./placed-pods.ts";

/** Where a pod goes, or why it waits. */
export type NodeChoice = { readonly node: string } | { readonly message: string };

/** The best of the nodes that take the pod: one on which pods run here, which is not avoided, and has the fewest. */
export function chooseNode(pod: Pod, around: Surroundings): NodeChoice {
  const { nodes } = around;
  if (nodes.length === 0) return { message: "no nodes available to schedule pods" };
  const waiting = { pod, ...demandOf(pod.spec) };
  const refusals: NodeRefusal[] = [];
  let best: { readonly node: Node; readonly cost: number } | undefined;
  for (const node of nodes) {
    const refusal = refusalBy(node, waiting, around);
    if (refusal !== undefined) refusals.push(refusal);
    else {
      const cost = costOf(node, pod, around);
      if (best === undefined || cost < best.cost) best = { node, cost };
    }
  }
  return best === undefined ? { message: messageOf(pod, refusals) } : { node: best.node.metadata.name };
}

function costOf(node: Node, { spec: { tolerations = [] } }: Pod, { placed }: Surroundings): number {
  const isAvoided = (node.spec?.taints ?? []).some(
    (taint) => taint.effect === "PreferNoSchedule" && !tolerations.some((each) => tolerates(each, taint)),
  );
  return placed.on(node.metadata.name).size + (runsPods(node) ? 0 : 2e9) + (isAvoided ? 1e9 : 0);
}

function messageOf({ spec }: Pod, refusals: readonly NodeRefusal[]): string {
  const available = `0/${refusals.length} nodes are available:`;
  const reasons = refusals.flatMap((each) => each.reasons);
  const help = refusals.map(({ byPods }) =>
    byPods ? "No preemption victims found for incoming pod" : "Preemption is not helpful for scheduling",
  );
  const preemption =
    spec.preemptionPolicy === "Never"
      ? "not eligible due to preemptionPolicy=Never."
      : `${available} ${counted(help)}.`;
  return `${available} ${counted(reasons)}. no new claims to deallocate, preemption: ${preemption}`;
}

/** How often each text occurs, in the order of the texts that are written. */
function counted(texts: readonly string[]): string {
  const counts = Map.groupBy(texts, (text) => text);
  return [...counts]
    .map(([text, all]) => `${all.length} ${text}`)
    .toSorted((one, other) => (one < other ? -1 : 1))
    .join(", ");
}
