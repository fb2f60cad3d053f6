// Where the node of a pod is, which the admission plugin PodTopologyLabels says in the pod's labels as soon as it has that node: then the
// containers can be told.
// https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#podtopologylabels
import type { ApiCore } from "../api-core.ts";
import { fieldsOf, textOf, type ApiObject } from "../api-object.ts";

const copied = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/** The labels that pods get of a node; none of one that is not there. */
export function topologyOf(
  { store }: Pick<ApiCore, "store">,
  node: string,
): Readonly<Record<string, string>> {
  const { labels = {} } = store.get("nodes", undefined, node)?.metadata ?? {};
  return Object.fromEntries(Object.entries(labels).filter(([name]) => copied.includes(name)));
}

/** Labels a pod that is created on a node, in place; the node's labels count before its own. */
export function settleTopology(core: Pick<ApiCore, "store">, pod: ApiObject): void {
  const node = textOf(fieldsOf(pod["spec"])["nodeName"]);
  const labels = node === "" ? {} : topologyOf(core, node);
  if (Object.keys(labels).length === 0) return;
  pod.metadata = { ...pod.metadata, labels: { ...pod.metadata.labels, ...labels } };
}
