// What becomes of the node and of its pods while nothing is heard of it, as kube-controller-manager has it: the node is Unknown and tainted,
// its pods are not ready, and those are deleted that do not tolerate it any longer. They end when the node is back.
import type { BehaviorSubject } from "rxjs";
import { isNotFound } from "../../../client/api-error.ts";
import { Node, Pod } from "../../../kinds/builtin/core.ts";
import { toTimestamp } from "../../../meta/condition.ts";
import { formatKey, keyOf } from "../../../meta/object-key.ts";
import { isPodFinished, isPodReady, isPodTerminating } from "../../pods/pod-state.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer } from "../controller-loop.ts";
import { tolerates } from "./node-fit.ts";
import { nodeConditions, nodeName } from "./node-object.ts";

/** Since when nothing is heard of the node, in milliseconds since the epoch; undefined while it answers. */
export type NodeSilence = BehaviorSubject<number | undefined>;

const unreachable = "node.kubernetes.io/unreachable";

/** Seconds for which a pod tolerates a lost node unless it says something else: what admission writes into pods. */
const usualTolerance = 300;

/** The controller of a lost node. RBAC: `list`, `watch` on nodes and pods; `patch` on nodes and the status of both; `delete` on pods. */
export function nodeLossController(context: ControllerContext, silence: NodeSilence): ControllerDefinition {
  const { cache, client, clock, events } = context;
  const nodes = cache.informer<Node>(Node);
  const pods = cache.informer<Pod>(Pod);

  async function mark(node: Node, since: number): Promise<void> {
    const time = toTimestamp(since);
    const taints = (["NoSchedule", "NoExecute"] as const).map((effect) => ({
      key: unreachable,
      effect,
      timeAdded: time,
    }));
    const conditions = (node.status?.conditions ?? []).map((condition) => ({
      ...condition,
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
      lastTransitionTime: time,
    }));
    await writeNode(node, conditions, [...(node.spec?.taints ?? []), ...taints]);
    const message = `Node ${nodeName} status is now: NodeNotReady`;
    events.from("node-controller").record(node, { type: "Normal", reason: "NodeNotReady", message });
  }

  async function restore(node: Node): Promise<void> {
    const conditions = nodeConditions(clock.now());
    await writeNode(node, conditions, node.spec?.taints?.filter(({ key }) => key !== unreachable) ?? []);
    const message = `Node ${nodeName} status is now: NodeReady`;
    events.from("kubelet").record(node, { type: "Normal", reason: "NodeReady", message });
  }

  async function writeNode(
    node: Node,
    conditions: readonly object[],
    taints: readonly object[],
  ): Promise<void> {
    const status = { type: "merge", body: { status: { conditions } } } as const;
    await client.patch(Node, keyOf(node), status, { subresource: "status" });
    const spec = { taints: taints.length === 0 ? null : taints };
    await client.patch(Node, keyOf(node), { type: "merge", body: { spec } });
  }

  async function setCondition(pod: Pod, type: string, change: object): Promise<void> {
    const lastTransitionTime = toTimestamp(clock.now());
    const others = (pod.status?.conditions ?? []).filter((each) => each.type !== type);
    const old = pod.status?.conditions?.find((each) => each.type === type);
    const conditions = [...others, { ...old, type, ...change, lastTransitionTime }];
    const body = { metadata: { uid: pod.metadata.uid }, status: { conditions } };
    await client.patch(Pod, keyOf(pod), { type: "merge", body }, { subresource: "status" });
  }

  /** Deals with one pod; milliseconds until it is to be deleted, if it is. */
  async function dealWith(pod: Pod, since: number): Promise<number | undefined> {
    if (isPodReady(pod)) {
      await setCondition(pod, "Ready", { status: "False" });
      const event = { type: "Warning", reason: "NodeNotReady", message: "Node is not ready" } as const;
      events.from("node-controller").record(pod, event);
    }
    if (isPodTerminating(pod)) return undefined;
    const wait = since + toleranceOf(pod) * 1_000 - clock.now();
    if (wait > 0) return Number.isFinite(wait) ? wait : undefined;
    await setCondition(pod, "DisruptionTarget", {
      status: "True",
      reason: "DeletionByTaintManager",
      message: "Taint manager: deleting due to NoExecute taint",
    });
    const message = `Marking for deletion Pod ${formatKey(keyOf(pod))}`;
    const event = { type: "Normal", reason: "TaintManagerEviction", message } as const;
    events.from("taint-eviction-controller").record(pod, event);
    await client.delete(Pod, keyOf(pod), { preconditions: { uid: pod.metadata.uid } });
    return undefined;
  }

  async function reconcile(): Promise<{ readonly requeueAfter?: number } | undefined> {
    const node = nodes.lister.get({ name: nodeName });
    if (node === undefined) return undefined;
    const since = silence.value;
    const isMarked = node.spec?.taints?.some(({ key }) => key === unreachable) === true;
    if (since === undefined) {
      if (isMarked) await restore(node);
      return undefined;
    }
    if (!isMarked) await mark(node, since);
    const waits: number[] = [];
    for (const pod of pods.lister.list()) {
      if (pod.spec.nodeName !== nodeName || isPodFinished(pod)) continue;
      try {
        const wait = await dealWith(pod, since);
        if (wait !== undefined) waits.push(wait);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    return waits.length === 0 ? undefined : { requeueAfter: Math.min(...waits) };
  }

  return {
    name: "node-loss",
    sources: [
      {
        subscribe: (add) => silence.subscribe(() => add(nodeName)),
        whenSynced: (signal) => nodes.whenSynced(signal),
      },
      fromInformer(
        pods,
        ({ spec }) => (spec.nodeName === nodeName ? [nodeName] : []),
        () => silence.value !== undefined,
      ),
    ],
    reconcile,
    workers: 1,
  };
}

/** Seconds for which a pod stays on a lost node. */
function toleranceOf(pod: Pod): number {
  const found = (pod.spec.tolerations ?? []).filter((each) =>
    tolerates(each, { key: unreachable, effect: "NoExecute" }),
  );
  if (found.length === 0) return usualTolerance;
  return Math.min(...found.map(({ tolerationSeconds = Infinity }) => Math.max(0, tolerationSeconds)));
}

/** Whether a pod may be bound to a lost node. */
export function toleratesLoss({ spec }: Pick<Pod, "spec">): boolean {
  return (["NoSchedule", "NoExecute"] as const).every((effect) =>
    (spec.tolerations ?? []).some((each) => tolerates(each, { key: unreachable, effect })),
  );
}
