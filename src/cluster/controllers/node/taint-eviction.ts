// Deletes pods from nodes with a NoExecute taint that they do not tolerate, or not any longer, as kube-controller-manager does.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/pkg/controller/tainteviction/taint_eviction.go
import { isNotFound } from "../../../client/api-error.ts";
import { Node, Pod } from "../../../kinds/builtin/core.ts";
import { formatKey, keyOf, parseKey } from "../../../meta/object-key.ts";
import { isPodFinished, isPodTerminating } from "../../pods/pod-state.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer, type ReconcileOutcome } from "../controller-loop.ts";
import { tolerates } from "./node-fit.ts";
import { setPodCondition, withTaintsOf, type NodeSilence } from "./node-loss.ts";

type Taint = NonNullable<NonNullable<Node["spec"]>["taints"]>[number];

/** The controller of NoExecute taints. RBAC: `list`, `watch` on nodes and pods; `patch` on the status of pods and `delete` on them. */
export function taintEvictionController(
  context: ControllerContext,
  silence: NodeSilence,
): ControllerDefinition {
  const { cache, client, clock } = context;
  const nodes = cache.informer<Node>(Node);
  const pods = cache.informer<Pod>(Pod);
  const events = context.events.from("taint-eviction-controller");
  /** Since when pods are on their way out, by uid. */
  const since = new Map<string, number>();

  function taintsOn(name: string | undefined): readonly Taint[] {
    const node = nodes.lister.get({ name: name ?? "" });
    if (node === undefined) return [];
    return (withTaintsOf(silence, node).spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
  }

  function tell(pod: Pod, what: string): void {
    const message = `${what} deletion ${what === "Marking for" ? "" : "of "}Pod ${formatKey(keyOf(pod))}`;
    events.record(pod, { type: "Normal", reason: "TaintManagerEviction", message });
  }

  async function evict(pod: Pod): Promise<void> {
    tell(pod, "Marking for");
    try {
      await setPodCondition(context, pod, "DisruptionTarget", {
        status: "True",
        reason: "DeletionByTaintManager",
        message: "Taint manager: deleting due to NoExecute taint",
      });
      await client.delete(Pod, keyOf(pod), { preconditions: { uid: pod.metadata.uid } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async function reconcile(key: string): Promise<ReconcileOutcome | undefined> {
    const pod = pods.lister.get(parseKey(key));
    if (pod === undefined) return undefined;
    const { uid } = pod.metadata;
    const stay =
      isPodTerminating(pod) || isPodFinished(pod) ? Infinity : toleranceOf(pod, taintsOn(pod.spec.nodeName));
    if (stay === Infinity) {
      if (since.delete(uid) && !isPodTerminating(pod)) tell(pod, "Cancelling");
      return undefined;
    }
    const begun = since.get(uid) ?? clock.now();
    const wait = begun + stay * 1_000 - clock.now();
    if (wait > 0) {
      since.set(uid, begun);
      return { requeueAfter: wait };
    }
    since.delete(uid);
    await evict(pod);
    return undefined;
  }

  return {
    name: "taint-eviction",
    sources: [
      fromInformer(
        pods,
        (pod) => [formatKey(keyOf(pod))],
        ({ type, object }) => {
          if (type === "deleted") since.delete(object.metadata.uid);
          return (
            type !== "deleted" &&
            (since.has(object.metadata.uid) || taintsOn(object.spec.nodeName).length > 0)
          );
        },
      ),
      fromInformer(nodes, ({ metadata }) =>
        pods.lister
          .list()
          .filter(({ spec }) => spec.nodeName === metadata.name)
          .map((pod) => formatKey(keyOf(pod))),
      ),
    ],
    reconcile,
  };
}

/** Seconds for which a pod stays on a node with these taints: until the first toleration ends that it needs. */
function toleranceOf({ spec: { tolerations = [] } }: Pod, taints: readonly Taint[]): number {
  const needed = taints.map((taint) => tolerations.find((each) => tolerates(each, taint)));
  return Math.min(
    ...needed.map((toleration) =>
      toleration === undefined ? 0 : Math.max(0, toleration.tolerationSeconds ?? Infinity),
    ),
  );
}
