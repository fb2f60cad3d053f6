// Chooses the node of a pod, or says why there is none and who has to go, as kube-scheduler does. Pure.
import type { Node, Pod } from "../../../kinds/builtin/core.ts";
import { tolerates } from "../node/node-fit.ts";
import { runsPods } from "../../node-runtime.ts";
import { refusalOn, type Scene } from "./node-filters.ts";
import { demandOf } from "./placed-pods.ts";
import { counted, preempt, type RefusingNode } from "./preemption.ts";

/** Where a pod goes, or why it waits. */
export type NodeChoice = { readonly node: string } | Waiting;

/** Why a pod waits, and for what. */
export interface Waiting {
  readonly message: string;
  /** The node on which it will be once the victims are gone; empty: none; undefined: as it was. */
  readonly nominated?: string;
  /** Who has to go. */
  readonly victims: readonly Pod[];
}

/** The best of the nodes that take the pod: one on which pods run here, which is not avoided, and has the fewest. */
export function chooseNode(pod: Pod, scene: Scene): NodeChoice {
  const { nodes } = scene;
  if (nodes.length === 0) return nowhere;
  const waiting = { pod, ...demandOf(pod.spec) };
  const { nominatedNodeName } = pod.status ?? {};
  const own = nodes.find(({ metadata }) => metadata.name === nominatedNodeName);
  // Others have gone from there for it.
  if (own !== undefined && refusalOn(own, waiting, scene) === undefined) return { node: own.metadata.name };
  const refusing: RefusingNode[] = [];
  let best: { readonly node: Node; readonly cost: number } | undefined;
  for (const node of nodes) {
    const refusal = refusalOn(node, waiting, scene);
    if (refusal !== undefined) refusing.push({ node, refusal });
    else {
      const cost = costOf(node, pod, scene);
      if (best === undefined || cost < best.cost) best = { node, cost };
    }
  }
  if (best !== undefined) return { node: best.node.metadata.name };
  const reasons = counted(refusing.flatMap(({ refusal }) => refusal.reasons));
  const refused = `0/${refusing.length} nodes are available: ${reasons}.`;
  const preemption = preempt(waiting, refusing, scene);
  if ("node" in preemption) {
    return { message: refused, nominated: preemption.node, victims: preemption.victims };
  }
  const { message, keepsNomination } = preemption;
  return {
    message: `${refused} no new claims to deallocate, preemption: ${message}`,
    ...(keepsNomination ? {} : { nominated: "" }),
    victims: [],
  };
}

/** What is said of a pod that no node can take, whichever they are. */
export function refusedByAll(reason: string, nodes: number): Waiting {
  if (nodes === 0) return { ...nowhere, nominated: "" };
  const none = `0/${nodes} nodes are available:`;
  return {
    message: `${none} ${reason}. no new claims to deallocate, preemption: ${none} ${nodes} Preemption is not helpful for scheduling.`,
    nominated: "",
    victims: [],
  };
}

const nowhere: Waiting = { message: "no nodes available to schedule pods", victims: [] };

function costOf(node: Node, { spec: { tolerations = [] } }: Pod, { placed }: Scene): number {
  const isAvoided = (node.spec?.taints ?? []).some(
    (taint) => taint.effect === "PreferNoSchedule" && !tolerations.some((each) => tolerates(each, taint)),
  );
  return placed.on(node.metadata.name).size + (runsPods(node) ? 0 : 2e9) + (isAvoided ? 1e9 : 0);
}
