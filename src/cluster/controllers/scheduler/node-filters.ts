// Why a node does not take a pod, in the words of kube-scheduler, whose filters are asked in its order: the first that refuses decides. Pure.
// https://github.com/kubernetes/kubernetes/tree/v1.36.1/pkg/scheduler/framework/plugins
import type { Node, Pod } from "../../../kinds/builtin/core.ts";
import type { PodDisruptionBudget } from "../../../kinds/builtin/policy.ts";
import { nanoOf } from "../../../schema/cel/quantity.ts";
import { isSelected, tolerates } from "../node/node-fit.ts";
import { AlteredPods } from "./altered-pods.ts";
import { brokenRule, brokenSpread, type BrokenRule, type Surroundings } from "./beside-pods.ts";
import type { NominatedPods } from "./nominated-pods.ts";
import type { HostPort, Placement, PlacedPods, PodDemand } from "./placed-pods.ts";

/** Why a node does not take a pod. */
export interface NodeRefusal {
  readonly reasons: readonly string[];
  /** Whether the pods that are on the node are in the way, so that it would help if some were not. */
  readonly byPods: boolean;
}

/** A pod that has no node yet, and what it asks of one. */
export interface WaitingPod extends PodDemand {
  readonly pod: Pod;
}

type Filter = (waiting: WaitingPod, node: Node, around: Surroundings) => NodeRefusal | undefined;

const never = (reason: string): NodeRefusal => ({ reasons: [reason], byPods: false });
const now = (reason: string): NodeRefusal => ({ reasons: [reason], byPods: true });

const brokenRules: Readonly<Record<BrokenRule, NodeRefusal>> = {
  affinity: never("node(s) didn't match pod affinity rules"),
  antiAffinity: now("node(s) didn't match pod anti-affinity rules"),
  antiAffinityOfOthers: now("node(s) didn't satisfy existing pods anti-affinity rules"),
};

const filters: readonly Filter[] = [
  /** A node that is cordoned. */
  ({ pod }, { spec }) => {
    const { tolerations = [] } = pod.spec;
    if (spec?.unschedulable !== true) return undefined;
    const taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
    const isTolerated = tolerations.some((each) => tolerates(each, taint));
    return isTolerated ? undefined : never("node(s) were unschedulable");
  },
  ({ pod }, { spec }) => {
    const { tolerations = [] } = pod.spec;
    const isTolerated = (spec?.taints ?? []).every(
      (taint) => taint.effect === "PreferNoSchedule" || tolerations.some((each) => tolerates(each, taint)),
    );
    return isTolerated ? undefined : never("node(s) had untolerated taint(s)");
  },
  ({ pod }, node) => {
    if (isSelected(pod.spec, node)) return undefined;
    return isForNamedNodes(pod.spec)
      ? never("node(s) didn't satisfy plugin(s) [NodeAffinity]")
      : never("node(s) didn't match Pod's node affinity/selector");
  },
  ({ ports }, { metadata: { name } }, { placed }) => {
    if (ports.length === 0) return undefined;
    const taken = [...placed.on(name).values()].flatMap((each) => each.ports);
    const isFree = ports.every((port) => !taken.some((other) => isSamePort(port, other)));
    return isFree ? undefined : now("node(s) didn't have free ports for the requested pod ports");
  },
  lackOfResources,
  ({ pod }, node, around) => {
    const broken = brokenSpread(pod, node, around);
    const what = "node(s) didn't match pod topology spread constraints";
    if (broken === "label") return never(`${what} (missing required label)`);
    return broken === undefined ? undefined : now(what);
  },
  ({ pod }, node, around) => {
    const broken = brokenRule(pod, node, around);
    return broken && brokenRules[broken];
  },
];

/** All that there is when a node is looked for. */
export interface Scene extends Surroundings {
  readonly placed: PlacedPods;
  readonly nominated: NominatedPods;
  readonly budgets: readonly PodDisruptionBudget[];
}

/**
 * Why a node does not take a pod; undefined where it does. Those count that are nominated for it and at least as important: it has to take
 * the pod with them, and without them.
 */
export function refusalOn(
  node: Node,
  waiting: WaitingPod,
  scene: Scene,
  placed: Placement = scene.placed,
): NodeRefusal | undefined {
  const { name } = node.metadata;
  const before = scene.nominated.before(waiting.pod, name);
  if (before.length > 0) {
    const crowded = new AlteredPods(placed, name);
    for (const each of before) crowded.add(each);
    const refusal = refusalBy(node, waiting, { ...scene, placed: crowded });
    if (refusal !== undefined) return refusal;
  }
  return refusalBy(node, waiting, { ...scene, placed });
}

function refusalBy(node: Node, waiting: WaitingPod, around: Surroundings): NodeRefusal | undefined {
  for (const filter of filters) {
    const refusal = filter(waiting, node, around);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function lackOfResources(
  { requests }: WaitingPod,
  { metadata: { name }, status }: Node,
  { placed }: Surroundings,
): NodeRefusal | undefined {
  const allocatable = status?.allocatable ?? {};
  const reasons: string[] = [];
  const room = Number(nanoOf(allocatable["pods"]) / 1_000_000_000n);
  if (placed.on(name).size + 1 > room) reasons.push("Too many pods");
  const used = placed.requestedOn(name);
  let isTooLarge = false;
  const order = ["cpu", "memory", "ephemeral-storage"];
  const names = [...requests.keys()].toSorted((one, other) => rankIn(order, one) - rankIn(order, other));
  for (const resource of names) {
    const amount = requests.get(resource) ?? 0n;
    const whole = nanoOf(allocatable[resource]);
    if (amount === 0n || amount <= whole - (used.get(resource) ?? 0n)) continue;
    reasons.push(`Insufficient ${resource}`);
    if (amount > whole) isTooLarge = true;
  }
  return reasons.length === 0 ? undefined : { reasons, byPods: !isTooLarge };
}

function rankIn(order: readonly string[], name: string): number {
  const index = order.indexOf(name);
  return index < 0 ? order.length : index;
}

/** Whether each term of the pod's affinity names its nodes, as those of daemon sets do. */
function isForNamedNodes({ affinity }: Pod["spec"]): boolean {
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return (
    terms !== undefined &&
    terms.length > 0 &&
    terms.every(({ matchFields = [] }) =>
      matchFields.some(({ key, operator }) => key === "metadata.name" && operator === "In"),
    )
  );
}

function isSamePort(one: HostPort, other: HostPort): boolean {
  if (one.port !== other.port || one.protocol !== other.protocol) return false;
  const anywhere = "0.0.0.0";
  return one.ip === anywhere || other.ip === anywhere || one.ip === other.ip;
}
