// Binds new pods to the node, and hands every pod of the node to the pod runtime.
import { isNotFound } from "../../../client/api-error.ts";
import { Pod } from "../../../kinds/builtin/core.ts";
import { toTimestamp } from "../../../meta/condition.ts";
import { formatKey, keyOf, parseKey } from "../../../meta/object-key.ts";
import type { PodRuntime } from "../../pods/pod-runtime.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, type ControllerSource, fromInformer } from "../controller-loop.ts";
import { nodeOf } from "./node-fit.ts";
import { toleratesLoss, type NodeSilence } from "./node-loss.ts";
import { nodeName } from "./node-object.ts";

/** The controller that gives pods a node and the node its pods. RBAC: `list`, `watch` on pods; `create` on their binding, `patch` on their status. */
export function podController(
  context: ControllerContext,
  runtime: PodRuntime,
  silence: NodeSilence,
): ControllerDefinition {
  const { cache, client, clock, events } = context;
  const pods = cache.informer<Pod>(Pod);

  /** The name may be taken by another pod at once, so a deletion is reported with the object itself. */
  const deletions: ControllerSource = {
    subscribe: () =>
      pods.changes$.subscribe((change) => {
        if (change.type === "deleted") runtime.forget(change.object);
      }),
    whenSynced: () => Promise.resolve(),
  };

  /** Pods that wait for the node are bound once it is back. */
  const returns: ControllerSource = {
    subscribe: (add) =>
      silence.subscribe(() => {
        for (const pod of pods.lister.list()) if (!isBound(pod)) add(formatKey(keyOf(pod)));
      }),
    whenSynced: () => Promise.resolve(),
  };

  /** Says why a pod waits, as the scheduler does. */
  async function refuse(pod: Pod): Promise<void> {
    const before = pod.status?.conditions ?? [];
    if (before.some(({ type, status }) => type === "PodScheduled" && status === "False")) return;
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message: noNode };
    const conditions = [
      ...before.filter(({ type }) => type !== "PodScheduled"),
      { ...condition, lastTransitionTime: toTimestamp(clock.now()) },
    ];
    const body = { metadata: { uid: pod.metadata.uid }, status: { conditions } };
    await client.patch(Pod, keyOf(pod), { type: "merge", body }, { subresource: "status" });
    const event = { type: "Warning", reason: "FailedScheduling", message: noNode } as const;
    events.from("default-scheduler").record(pod, event);
  }

  async function bind(pod: Pod): Promise<void> {
    const { name, namespace } = pod.metadata;
    const body = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name, namespace, uid: pod.metadata.uid },
      target: { apiVersion: "v1", kind: "Node", name: nodeOf(pod) ?? nodeName },
    };
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/binding`;
    try {
      await client.request({ method: "POST", path, body });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async function reconcile(key: string): Promise<undefined> {
    const pod = pods.lister.get(parseKey(key));
    if (pod === undefined) return undefined;
    if (pod.spec.nodeName === nodeName) runtime.sync(pod);
    else if (!isBound(pod) && pod.metadata.deletionTimestamp === undefined && !isGated(pod)) {
      if (silence.value === undefined || toleratesLoss(pod)) await bind(pod);
      else await refuse(pod);
    }
    return undefined;
  }

  return {
    name: "pod",
    sources: [
      fromInformer(pods, (pod) => [`${pod.metadata.namespace}/${pod.metadata.name}`]),
      deletions,
      returns,
    ],
    reconcile,
    workers: 8,
  };
}

/** What the scheduler says while the only node is lost. */
const noNode =
  "0/1 nodes are available: 1 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";

function isBound({ spec }: Pod): boolean {
  return spec.nodeName !== undefined && spec.nodeName !== "";
}

function isGated(pod: Pod): boolean {
  const { schedulingGates } = pod.spec as { schedulingGates?: readonly unknown[] };
  return (schedulingGates?.length ?? 0) > 0;
}
