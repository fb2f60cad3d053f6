// Taints a node for as long as it is cordoned, as kube-controller-manager does: who reads taints only, such as daemon sets, knows it too.
import { Node } from "../../../kinds/builtin/core.ts";
import { toTimestamp } from "../../../meta/condition.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer } from "../controller-loop.ts";

const unschedulable = "node.kubernetes.io/unschedulable";

/** The controller of cordoned nodes. RBAC: `list`, `watch`, `update` on nodes. */
export function cordonController({ cache, client, clock }: ControllerContext): ControllerDefinition {
  const nodes = cache.informer<Node>(Node);

  async function reconcile(name: string): Promise<undefined> {
    const node = nodes.lister.get({ name });
    if (node === undefined) return undefined;
    const { taints: given = [], ...spec } = node.spec ?? {};
    const others = given.filter(({ key }) => key !== unschedulable);
    const isCordoned = spec.unschedulable === true;
    if (isCordoned === others.length < given.length) return undefined;
    const timeAdded = toTimestamp(clock.now());
    const taints = isCordoned ? [...others, { key: unschedulable, effect: "NoSchedule", timeAdded }] : others;
    await client.update(Node, { ...node, spec: { ...spec, ...(taints.length === 0 ? {} : { taints }) } });
    return undefined;
  }

  return { name: "cordon", sources: [fromInformer(nodes, ({ metadata }) => [metadata.name])], reconcile };
}
