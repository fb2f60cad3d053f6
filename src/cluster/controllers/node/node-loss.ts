// What becomes of our nodes and of their pods while nothing is heard of them, as kube-controller-manager has it: a node is Unknown and tainted,
// and its pods are not ready. Those that do not tolerate the taint are deleted by taint-eviction.ts, and end when the node is back.
import type { BehaviorSubject } from "rxjs";
import { isNotFound } from "../../../client/api-error.ts";
import { Node, Pod } from "../../../kinds/builtin/core.ts";
import { toTimestamp } from "../../../meta/condition.ts";
import { keyOf } from "../../../meta/object-key.ts";
import { isPodFinished, isPodReady } from "../../pods/pod-state.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer } from "../controller-loop.ts";
import { runsPods } from "../../node-runtime.ts";
import { nodeConditions, nodeName } from "./node-object.ts";

/** Since when nothing is heard of the node, in milliseconds since the epoch; undefined while it answers. */
export type NodeSilence = BehaviorSubject<number | undefined>;

const unreachable = "node.kubernetes.io/unreachable";
const notReady = "node.kubernetes.io/not-ready";

/** The controller of a lost node. RBAC: `list`, `watch` on nodes and pods; `patch` on nodes and the status of both. */
export function nodeLossController(context: ControllerContext, silence: NodeSilence): ControllerDefinition {
  const { cache, client, clock, events } = context;
  const nodes = cache.informer<Node>(Node);
  const pods = cache.informer<Pod>(Pod);

  async function mark(node: Node, since: number): Promise<void> {
    const time = toTimestamp(since);
    const conditions = (node.status?.conditions ?? []).map((condition) => ({
      ...condition,
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
      lastTransitionTime: time,
    }));
    await writeNode(node, conditions, [...(node.spec?.taints ?? []), ...lossTaints(since)]);
    const message = `Node ${node.metadata.name} status is now: NodeNotReady`;
    events.from("node-controller").record(node, { type: "Normal", reason: "NodeNotReady", message });
  }

  async function restore(node: Node): Promise<void> {
    const conditions = nodeConditions(clock.now());
    await writeNode(node, conditions, node.spec?.taints?.filter(({ key }) => key !== unreachable) ?? []);
    const message = `Node ${node.metadata.name} status is now: NodeReady`;
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

  async function unready(pod: Pod): Promise<void> {
    await setPodCondition(context, pod, "Ready", { status: "False" });
    const event = { type: "Warning", reason: "NodeNotReady", message: "Node is not ready" } as const;
    events.from("node-controller").record(pod, event);
  }

  async function reconcile(): Promise<undefined> {
    const since = silence.value;
    const ours = nodes.lister.list().filter(runsPods);
    for (const node of ours) {
      const isMarked = node.spec?.taints?.some(({ key }) => key === unreachable) === true;
      if (since === undefined && isMarked) await restore(node);
      if (since !== undefined && !isMarked) await mark(node, since);
    }
    if (since === undefined) return undefined;
    const names = new Set(ours.map(({ metadata }) => metadata.name));
    for (const pod of pods.lister.list()) {
      if (!names.has(pod.spec.nodeName ?? "") || isPodFinished(pod) || !isPodReady(pod)) continue;
      try {
        await unready(pod);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    return undefined;
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
        () => [nodeName],
        () => silence.value !== undefined,
      ),
    ],
    reconcile,
    workers: 1,
  };
}

/** Sets a condition of a pod. */
export async function setPodCondition(
  { client, clock }: Pick<ControllerContext, "client" | "clock">,
  pod: Pod,
  type: string,
  change: object,
): Promise<void> {
  const lastTransitionTime = toTimestamp(clock.now());
  const others = (pod.status?.conditions ?? []).filter((each) => each.type !== type);
  const old = pod.status?.conditions?.find((each) => each.type === type);
  const conditions = [...others, { ...old, type, ...change, lastTransitionTime, ...observedGeneration(pod) }];
  const body = { metadata: { uid: pod.metadata.uid }, status: { conditions } };
  await client.patch(Pod, keyOf(pod), { type: "merge", body }, { subresource: "status" });
}

/** By which a condition says of which generation of a pod it is. */
export function observedGeneration({ metadata: { generation } }: Pod): {
  readonly observedGeneration?: number;
} {
  return generation === undefined ? {} : { observedGeneration: generation };
}

/**
 * The node with the taints that count for pods: those of being silent are ours to know where pods run here, whoever else has found that
 * no heartbeats come.
 */
export function withTaintsOf(silence: NodeSilence, node: Node): Node {
  if (!runsPods(node)) return node;
  const others = (node.spec?.taints ?? []).filter(({ key }) => key !== unreachable && key !== notReady);
  const taints = silence.value === undefined ? others : [...others, ...lossTaints(silence.value)];
  return { ...node, spec: { ...node.spec, taints } };
}

function lossTaints(since: number): readonly NonNullable<NonNullable<Node["spec"]>["taints"]>[number][] {
  const timeAdded = toTimestamp(since);
  return (["NoSchedule", "NoExecute"] as const).map((effect) => ({ key: unreachable, effect, timeAdded }));
}
