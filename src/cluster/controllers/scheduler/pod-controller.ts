// Binds each pod to a node, as the scheduler does, and gives the pods of our nodes to the pod runtime, as a kubelet does.
import { isNotFound } from "../../../client/api-error.ts";
import { Namespace, Node, PersistentVolumeClaim, Pod } from "../../../kinds/builtin/core.ts";
import { PodDisruptionBudget } from "../../../kinds/builtin/policy.ts";
import { StorageClass } from "../../../kinds/builtin/storage.ts";
import { toTimestamp } from "../../../meta/condition.ts";
import { formatKey, keyOf, parseKey } from "../../../meta/object-key.ts";
import type { PodRuntime } from "../../pods/pod-runtime.ts";
import { isPodTerminating } from "../../pods/pod-state.ts";
import type { ControllerContext } from "../controller-context.ts";
import {
  type ControllerDefinition,
  type ControllerSource,
  fromInformer,
  type ReconcileOutcome,
} from "../controller-loop.ts";
import { chooseNode, refusedByAll, type Waiting } from "./choose-node.ts";
import { claimRefusal, delayedClaims, type KnownStorage } from "./claim-filter.ts";
import { NominatedPods } from "./nominated-pods.ts";
import { PlacedPods, priorityOf } from "./placed-pods.ts";
import { preemptedBy } from "./preemption.ts";
import { type NodeSilence, observedGeneration, setPodCondition, withTaintsOf } from "../node/node-loss.ts";
import { runsPods } from "../../node-runtime.ts";
import { nodeName } from "../node/node-object.ts";
import { selectedNode } from "../storage/volume-choice.ts";

/** Who places pods, by the name that they ask for it. */
const schedulerName = "default-scheduler";

/**
 * The controller that gives pods a node and the node its pods. RBAC: `list`, `watch` on pods, nodes, claims, storage classes, namespaces and
 * disruption budgets; `create` on the binding of pods, `patch` on their status, `delete` on pods.
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
  const budgets = cache.informer<PodDisruptionBudget>(PodDisruptionBudget);
  const claims = cache.informer<PersistentVolumeClaim>(PersistentVolumeClaim);
  const classes = cache.informer<StorageClass>(StorageClass);
  const placed = new PlacedPods();
  const nominated = new NominatedPods();
  const scheduler = events.from(schedulerName);
  /** Keys of the pods for which there was no node. */
  const waiting = new Set<string>();

  const see = (pod: Pod): boolean => [nominated.see(pod), placed.see(pod)].includes(true);
  const forget = (pod: Pod): boolean => [nominated.forget(pod), placed.forget(pod)].includes(true);

  /** How important the pod of a key is that has no node yet; 0 for any other. */
  const importanceOf = (key: string): number => {
    const pod = pods.lister.get(parseKey(key));
    return pod === undefined || isBound(pod) ? 0 : priorityOf(pod);
  };
  /** Those that wait, the most important ones first: workers that have nothing to do take keys as they come. */
  const again = (): readonly string[] =>
    [...waiting]
      .map((key) => ({ key, importance: importanceOf(key) }))
      .toSorted((one, other) => other.importance - one.importance)
      .map(({ key }) => key);

  /** What is on the nodes; and whatever changes there, those that wait are looked at again. */
  const placements: ControllerSource = {
    subscribe(add) {
      for (const pod of pods.lister.list()) see(pod);
      return pods.changes$.subscribe(({ type, object }) => {
        const isChanged = type === "deleted" ? forget(object) : see(object);
        // The name may be taken by another pod at once, so a deletion is reported with the object itself.
        if (type === "deleted") runtime.forget(object);
        if (isChanged) for (const key of again()) add(key);
      });
    },
    whenSynced: (signal) => pods.whenSynced(signal),
  };

  const nodeChanges = fromInformer(nodes, again);
  const claimChanges = fromInformer(claims, again);
  /** Pods that wait for the node are bound once it is back. */
  const returns: ControllerSource = {
    subscribe: (add) =>
      silence.subscribe(() => {
        for (const key of again()) add(key);
      }),
    async whenSynced(signal) {
      await Promise.all([namespaces, budgets, classes].map((each) => each.whenSynced(signal)));
    },
  };

  /** Says why a pod waits and for which node, as the scheduler does. */
  async function refuse(pod: Pod, { message, nominated: node }: Waiting): Promise<void> {
    const before = pod.status?.conditions ?? [];
    const old = before.find(({ type }) => type === "PodScheduled");
    const isKnown = old?.status === "False" && old.message === message;
    const { nominatedNodeName: former = "" } = pod.status ?? {};
    const isNominated = node === undefined || node === former;
    if (isKnown && isNominated) return;
    const now = toTimestamp(clock.now());
    const condition = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      lastTransitionTime: old?.status === "False" ? old.lastTransitionTime : now,
      ...observedGeneration(pod),
    };
    const conditions = [...before.filter(({ type }) => type !== "PodScheduled"), condition];
    await writeStatus(pod, {
      conditions,
      ...(isNominated ? {} : { nominatedNodeName: node === "" ? null : node }),
    });
    if (isKnown) return;
    scheduler.record(pod, { type: "Warning", reason: "FailedScheduling", message });
  }

  async function writeStatus(pod: Pod, status: object): Promise<void> {
    const body = { metadata: { uid: pod.metadata.uid }, status };
    await client.patch(Pod, keyOf(pod), { type: "merge", body }, { subresource: "status" });
  }

  /** Has a pod make way for a more important one. */
  async function displace(victim: Pod, pod: Pod, node: string): Promise<void> {
    const message = `Preempted by pod ${pod.metadata.uid} on node ${node}`;
    try {
      await setPodCondition(context, victim, "DisruptionTarget", {
        status: "True",
        reason: preemptedBy,
        message: `${schedulerName}: preempting to accommodate a higher priority pod`,
      });
      await client.delete(Pod, keyOf(victim), { preconditions: { uid: victim.metadata.uid } });
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    scheduler.record(victim, { type: "Normal", reason: "Preempted", message });
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
    nominated.forget(pod);
    try {
      await client.request({ method: "POST", path, body });
    } catch (error) {
      placed.forget(pod);
      if (isNotFound(error)) return;
      nominated.see(pod);
      throw error;
    }
  }

  const storageOf = ({ metadata: { namespace } }: Pod): KnownStorage => ({
    claimOf: (name) => claims.lister.get({ namespace, name }),
    classOf: ({ spec }) => classes.lister.get({ name: spec.storageClassName ?? "" }),
  });

  async function schedule(key: string, pod: Pod): Promise<ReconcileOutcome | undefined> {
    const refusal = claimRefusal(pod, storageOf(pod), clock.now());
    if (refusal !== undefined) {
      waiting.add(key);
      if (refusal.saidAfter > 0) return { requeueAfter: refusal.saidAfter };
      await refuse(pod, refusedByAll(refusal.message, nodes.lister.list().length));
      return undefined;
    }
    await place(key, pod);
    return undefined;
  }

  async function place(key: string, pod: Pod): Promise<void> {
    const choice = chooseNode(pod, {
      nodes: nodes.lister.list().map((node) => withTaintsOf(silence, node)),
      placed,
      nominated,
      budgets: budgets.lister.list(),
      labelsOfNamespace: (name) => namespaces.lister.get({ name })?.metadata.labels ?? {},
    });
    if ("node" in choice) {
      const delayed = delayedClaims(pod, storageOf(pod));
      if (delayed.length === 0) {
        waiting.delete(key);
        return bind(pod, choice.node);
      }
      // It is looked at again once they are bound.
      waiting.add(key);
      const annotations = { [selectedNode]: choice.node };
      for (const { metadata } of delayed) {
        const body = { metadata: { uid: metadata.uid, annotations } };
        await client.patch(PersistentVolumeClaim, keyOf({ metadata }), { type: "merge", body });
      }
      return;
    }
    waiting.add(key);
    const { nominated: node, victims } = choice;
    if (node !== undefined) {
      // Before anybody else is scheduled, who would take the place.
      nominated.see({ ...pod, status: { ...pod.status, nominatedNodeName: node } });
    }
    await refuse(pod, choice);
    if (node === undefined || node === "") return;
    // Those that are less important look for another place.
    for (const { pod: other } of nominated.below(pod, node)) {
      nominated.forget(other);
      await writeStatus(other, { nominatedNodeName: null });
    }
    const leaving = victims.filter((each) => !isPodTerminating(each));
    await Promise.all(leaving.map((victim) => displace(victim, pod, node)));
  }

  async function reconcile(key: string): Promise<ReconcileOutcome | undefined> {
    const pod = pods.lister.get(parseKey(key));
    if (pod === undefined || isBound(pod) || pod.metadata.deletionTimestamp !== undefined)
      waiting.delete(key);
    if (pod === undefined) return undefined;
    if (isBound(pod)) {
      if (isOurs(pod.spec.nodeName)) runtime.sync(pod);
    } else if (pod.metadata.deletionTimestamp === undefined && isScheduledHere(pod))
      return schedule(key, pod);
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
    sources: [
      placements,
      fromInformer(pods, (pod) => [formatKey(keyOf(pod))]),
      nodeChanges,
      claimChanges,
      returns,
    ],
    reconcile,
    priorityOf: importanceOf,
    workers: 8,
  };
}

function isBound({ spec }: Pod): boolean {
  return spec.nodeName !== undefined && spec.nodeName !== "";
}

/** Whether a pod is ours to place: it names no other scheduler, and nothing holds it back. */
function isScheduledHere({ spec }: Pod): boolean {
  const { schedulerName: name = schedulerName, schedulingGates = [] } = spec;
  return name === schedulerName && schedulingGates.length === 0;
}
