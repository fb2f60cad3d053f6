// Binds each pod to a node, as the scheduler does, and gives the pods of our nodes to the pod runtime, as a kubelet does.
import { isNotFound } from "../../../client/api-error.ts";
import { Namespace, Node, Pod } from "../../../kinds/builtin/core.ts";
import { toTimestamp } from "../../../meta/condition.ts";
import { formatKey, keyOf, parseKey } from "../../../meta/object-key.ts";
import type { PodRuntime } from "../../pods/pod-runtime.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, type ControllerSource, fromInformer } from "../controller-loop.ts";
import { chooseNode } from "./choose-node.ts";
import { PlacedPods } from "./placed-pods.ts";
import { type NodeSilence, withTaintsOf } from "../node/node-loss.ts";
import { nodeName, runsPods } from "../node/node-object.ts";

/**
 * The controller that gives pods a node and the node its pods. RBAC: `list`, `watch` on pods, nodes and namespaces; `create` on the
 * binding of pods, `patch` on their status.
 */
export function podController(
  context: ControllerContext,
  runtime: PodRuntime,
  silence: NodeSilence,
): ControllerDefinition {
  const { cache, client, clock, events } = context;
  const pods = cache.informer<Pod>(Pod);
  const nodes = cache.informer<Node>(Node);
  const namespaces = cache.informer<Namespace>(Namespace);
  const placed = new PlacedPods();
  /** Keys of the pods for which there was no node. */
  const waiting = new Set<string>();

  /** What is on the nodes; and whatever changes there, those that wait are looked at again. */
  const placements: ControllerSource = {
    subscribe(add) {
      for (const pod of pods.lister.list()) placed.see(pod);
      return pods.changes$.subscribe(({ type, object }) => {
        const isChanged = type === "deleted" ? placed.forget(object) : placed.see(object);
        // The name may be taken by another pod at once, so a deletion is reported with the object itself.
        if (type === "deleted") runtime.forget(object);
        if (isChanged) for (const key of waiting) add(key);
      });
    },
    whenSynced: (signal) => pods.whenSynced(signal),
  };

  const again = (): Iterable<string> => [...waiting];
  const nodeChanges = fromInformer(nodes, () => [...again()]);
  /** Pods that wait for the node are bound once it is back. */
  const returns: ControllerSource = {
    subscribe: (add) =>
      silence.subscribe(() => {
        for (const key of again()) add(key);
      }),
    whenSynced: (signal) => namespaces.whenSynced(signal),
  };

  /** Says why a pod waits, as the scheduler does. */
  async function refuse(pod: Pod, message: string): Promise<void> {
    const before = pod.status?.conditions ?? [];
    const old = before.find(({ type }) => type === "PodScheduled");
    if (old?.status === "False" && old.message === message) return;
    const now = toTimestamp(clock.now());
    const condition = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      lastTransitionTime: old?.status === "False" ? old.lastTransitionTime : now,
    };
    const conditions = [...before.filter(({ type }) => type !== "PodScheduled"), condition];
    const body = { metadata: { uid: pod.metadata.uid }, status: { conditions } };
    await client.patch(Pod, keyOf(pod), { type: "merge", body }, { subresource: "status" });
    const event = { type: "Warning", reason: "FailedScheduling", message } as const;
    events.from("default-scheduler").record(pod, event);
  }

  async function bind(pod: Pod, node: string): Promise<void> {
    const { name, namespace } = pod.metadata;
    const body = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name, namespace, uid: pod.metadata.uid },
      target: { apiVersion: "v1", kind: "Node", name: node },
    };
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/binding`;
    placed.assume(pod, node);
    try {
      await client.request({ method: "POST", path, body });
    } catch (error) {
      placed.forget(pod);
      if (!isNotFound(error)) throw error;
    }
  }

  async function schedule(key: string, pod: Pod): Promise<void> {
    const choice = chooseNode(pod, {
      nodes: nodes.lister.list().map((node) => withTaintsOf(silence, node)),
      placed,
      labelsOfNamespace: (name) => namespaces.lister.get({ name })?.metadata.labels ?? {},
    });
    if ("node" in choice) {
      waiting.delete(key);
      return bind(pod, choice.node);
    }
    waiting.add(key);
    return refuse(pod, choice.message);
  }

  async function reconcile(key: string): Promise<undefined> {
    const pod = pods.lister.get(parseKey(key));
    if (pod === undefined || isBound(pod) || pod.metadata.deletionTimestamp !== undefined)
      waiting.delete(key);
    if (pod === undefined) return undefined;
    if (isBound(pod)) {
      if (isOurs(pod.spec.nodeName)) runtime.sync(pod);
    } else if (pod.metadata.deletionTimestamp === undefined && !isGated(pod)) await schedule(key, pod);
    return undefined;
  }

  function isOurs(name: string | undefined): boolean {
    if (name === nodeName) return true;
    const node = nodes.lister.get({ name: name ?? "" });
    return node !== undefined && runsPods(node);
  }

  return {
    name: "pod",
    // What is placed is known before the first pod is looked at.
    sources: [placements, fromInformer(pods, (pod) => [formatKey(keyOf(pod))]), nodeChanges, returns],
    reconcile,
    workers: 8,
  };
}

function isBound({ spec }: Pod): boolean {
  return spec.nodeName !== undefined && spec.nodeName !== "";
}

function isGated(pod: Pod): boolean {
  const { schedulingGates } = pod.spec as { schedulingGates?: readonly unknown[] };
  return (schedulingGates?.length ?? 0) > 0;
}
