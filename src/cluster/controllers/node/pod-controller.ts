// Binds new pods to the node, and hands every pod of the node to the pod runtime.
import { isNotFound } from "../../../client/api-error.ts";
import { Pod } from "../../../kinds/builtin/core.ts";
import { parseKey } from "../../../meta/object-key.ts";
import type { PodRuntime } from "../../pods/pod-runtime.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, type ControllerSource, fromInformer } from "../controller-loop.ts";
import { nodeOf } from "./node-fit.ts";
import { nodeName } from "./node-object.ts";

/** The controller that gives pods a node and the node its pods. RBAC: `list`, `watch` on pods; `create` on their binding. */
export function podController(context: ControllerContext, runtime: PodRuntime): ControllerDefinition {
  const { cache, client } = context;
  const pods = cache.informer<Pod>(Pod);

  /** The name may be taken by another pod at once, so a deletion is reported with the object itself. */
  const deletions: ControllerSource = {
    subscribe: () =>
      pods.changes$.subscribe((change) => {
        if (change.type === "deleted") runtime.forget(change.object);
      }),
    whenSynced: () => Promise.resolve(),
  };

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
    else if (pod.spec.nodeName === undefined || pod.spec.nodeName === "") {
      if (pod.metadata.deletionTimestamp === undefined && !isGated(pod)) await bind(pod);
    }
    return undefined;
  }

  return {
    name: "pod",
    sources: [fromInformer(pods, (pod) => [`${pod.metadata.namespace}/${pod.metadata.name}`]), deletions],
    reconcile,
    workers: 8,
  };
}

function isGated(pod: Pod): boolean {
  const { schedulingGates } = pod.spec as { schedulingGates?: readonly unknown[] };
  return (schedulingGates?.length ?? 0) > 0;
}
