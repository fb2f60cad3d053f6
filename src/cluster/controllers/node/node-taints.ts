// Taints nodes for what they say of themselves, as kube-controller-manager does: while a node is cordoned, not ready, or short of something,
// no new pods are put on it. A new node is tainted by the API server, until this has seen it.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/pkg/controller/nodelifecycle/node_lifecycle_controller.go
import { Node } from "../../../kinds/builtin/core.ts";
import { toTimestamp } from "../../../meta/condition.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer } from "../controller-loop.ts";

type Taint = NonNullable<NonNullable<Node["spec"]>["taints"]>[number];

const unschedulable = "node.kubernetes.io/unschedulable";

/** The taint for a condition, by its type and status. */
const taintOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: "node.kubernetes.io/not-ready", Unknown: "node.kubernetes.io/unreachable" },
  MemoryPressure: { True: "node.kubernetes.io/memory-pressure" },
  DiskPressure: { True: "node.kubernetes.io/disk-pressure" },
  PIDPressure: { True: "node.kubernetes.io/pid-pressure" },
  NetworkUnavailable: { True: "node.kubernetes.io/network-unavailable" },
};
const settled = new Set([unschedulable, ...Object.values(taintOf).flatMap((each) => Object.values(each))]);

/** The controller of what keeps new pods from nodes. RBAC: `list`, `watch`, `update` on nodes. */
export function nodeTaintController({ cache, client, clock }: ControllerContext): ControllerDefinition {
  const nodes = cache.informer<Node>(Node);

  async function reconcile(name: string): Promise<undefined> {
    const node = nodes.lister.get({ name });
    if (node === undefined) return undefined;
    const { taints: given = [], ...spec } = node.spec ?? {};
    const wanted = new Set(wantedTaints(node));
    const isOurs = ({ key, effect }: Taint): boolean => effect === "NoSchedule" && settled.has(key);
    const kept = given.filter((taint) => !isOurs(taint) || wanted.has(taint.key));
    const missing = [...wanted].filter((key) => !kept.some((taint) => taint.key === key && isOurs(taint)));
    if (kept.length === given.length && missing.length === 0) return undefined;
    const timeAdded = toTimestamp(clock.now());
    const taints = [...kept, ...missing.map((key) => ({ key, effect: "NoSchedule", timeAdded }))];
    await client.update(Node, { ...node, spec: { ...spec, ...(taints.length === 0 ? {} : { taints }) } });
    return undefined;
  }

  return {
    name: "node-taints",
    sources: [fromInformer(nodes, ({ metadata }) => [metadata.name])],
    reconcile,
  };
}

function wantedTaints({ spec, status }: Node): readonly string[] {
  const ofConditions = (status?.conditions ?? []).flatMap(({ type, status: state }) =>
    Object.hasOwn(taintOf, type) ? (taintOf[type]?.[state] ?? []) : [],
  );
  return [...ofConditions, ...(spec?.unschedulable === true ? [unschedulable] : [])];
}
