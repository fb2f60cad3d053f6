// Says on nodes for how long a kubelet may keep what it has read of Secrets and ConfigMaps, as kube-controller-manager does: the longer,
// the more nodes there are.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/pkg/controller/ttl/ttl_controller.go
import { Node } from "../../../kinds/builtin/core.ts";
import { keyOf } from "../../../meta/object-key.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer } from "../controller-loop.ts";

/** The annotation that says it, in seconds. */
export const ttlAnnotation = "node.alpha.kubernetes.io/ttl";

/** For how many nodes which time is right; where two are, it stays as it was. */
const steps = [
  { least: 0, most: 100, seconds: 0 },
  { least: 90, most: 500, seconds: 15 },
  { least: 450, most: 1_000, seconds: 30 },
  { least: 900, most: 2_000, seconds: 60 },
  { least: 1_800, most: Infinity, seconds: 300 },
] as const;

/** The controller of that annotation. RBAC: `list`, `watch`, `patch` on nodes. */
export function nodeTtlController({ cache, client }: ControllerContext): ControllerDefinition {
  const nodes = cache.informer<Node>(Node);
  let step: (typeof steps)[number] = steps[0];

  async function reconcile(name: string): Promise<undefined> {
    const count = nodes.lister.list().length;
    if (count < step.least || count > step.most) {
      step = steps.find(({ least, most }) => count >= least && count <= most) ?? step;
    }
    const node = nodes.lister.get({ name });
    const ttl = String(step.seconds);
    if (node === undefined || node.metadata.annotations?.[ttlAnnotation] === ttl) return undefined;
    const metadata = { annotations: { [ttlAnnotation]: ttl } };
    await client.patch(Node, keyOf(node), { type: "merge", body: { metadata } });
    return undefined;
  }

  return {
    name: "node-ttl",
    sources: [fromInformer(nodes, ({ metadata }) => [metadata.name])],
    reconcile,
  };
}
