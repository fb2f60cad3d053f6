// Which pods have to go so that a more important one finds a place, as kube-scheduler chooses them. Pure.
// https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/
import type { Node, Pod } from "../../../kinds/builtin/core.ts";
import type { LabelSelector } from "../../../kinds/builtin/parts.ts";
import type { PodDisruptionBudget } from "../../../kinds/builtin/policy.ts";
import { isSelectedBy } from "../../../kinds/selector-match.ts";
import { isPodTerminating } from "../../pods/pod-state.ts";
import { AlteredPods } from "./altered-pods.ts";
import { refusalOn, type NodeRefusal, type Scene, type WaitingPod } from "./node-filters.ts";
import { priorityOf, type PlacedPod } from "./placed-pods.ts";

/** What becomes of a pod for which there is no node as things are. */
export type Preemption =
  | {
      /** Where it will be once the victims are gone. */
      readonly node: string;
      /** From the most to the least important one. */
      readonly victims: readonly Pod[];
    }
  | {
      /** Why nobody has to go. */
      readonly message: string;
      /** Whether it stays nominated for the node that it may be nominated for. */
      readonly keepsNomination: boolean;
    };

/** A node that refuses a pod. */
export interface RefusingNode {
  readonly node: Node;
  readonly refusal: NodeRefusal;
}

/** The reason of the condition of those who have to go. */
export const preemptedBy = "PreemptionByScheduler";

/** Looks for the node on which the least has to go. */
export function preempt(waiting: WaitingPod, refusing: readonly RefusingNode[], scene: Scene): Preemption {
  const { pod } = waiting;
  const hindrance = hindranceOf(pod, refusing, scene);
  if (hindrance !== undefined) return { message: hindrance, keepsNomination: true };
  const candidates: Candidate[] = [];
  const reasons: string[] = [];
  for (const { node, refusal } of refusing) {
    if (!refusal.byPods) {
      reasons.push("Preemption is not helpful for scheduling");
      continue;
    }
    const found = victimsOn(node, waiting, scene);
    if ("victims" in found) candidates.push(found);
    else reasons.push(...found.reasons);
  }
  const best = bestOf(candidates);
  if (best === undefined) {
    const message = `0/${refusing.length} nodes are available: ${counted(reasons)}.`;
    return { message, keepsNomination: false };
  }
  return { node: best.node, victims: best.victims.map(({ pod: victim }) => victim) };
}

/** Why a pod may not make others go at all; undefined where it may. */
function hindranceOf(pod: Pod, refusing: readonly RefusingNode[], { placed }: Scene): string | undefined {
  if (pod.spec.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  const { nominatedNodeName: nominated = "" } = pod.status ?? {};
  const there = refusing.find(({ node }) => node.metadata.name === nominated);
  // Where its node will not do any more, it looks for another one.
  if (there === undefined || !there.refusal.byPods) return undefined;
  return placed.below(priorityOf(pod), nominated).some((each) => isPreempted(each.pod))
    ? "not eligible due to a terminating pod on the nominated node."
    : undefined;
}

function isPreempted(pod: Pod): boolean {
  const target = pod.status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  return isPodTerminating(pod) && target?.status === "True" && target.reason === preemptedBy;
}

/** A node, and those who would have to go from there. */
interface Candidate {
  readonly node: string;
  /** From the most to the least important one. */
  readonly victims: readonly PlacedPod[];
  /** How many of them a disruption budget protects. */
  readonly violations: number;
}

/** Who has to go from a node; or why it would not help. */
function victimsOn(
  node: Node,
  waiting: WaitingPod,
  scene: Scene,
): Candidate | { readonly reasons: readonly string[] } {
  const { name } = node.metadata;
  const possible = scene.placed.below(priorityOf(waiting.pod), name).toSorted(byImportance);
  if (possible.length === 0) return { reasons: ["No preemption victims found for incoming pod"] };
  const left = new AlteredPods(scene.placed, name);
  for (const each of possible) left.remove(each);
  const fits = (): NodeRefusal | undefined => refusalOn(node, waiting, scene, left);
  const refusal = fits();
  if (refusal !== undefined) return { reasons: refusal.reasons };
  const guarded = protectedBy(scene.budgets, possible);
  const victims: PlacedPod[] = [];
  // Those whom a budget protects are spared first, and of them the most important ones.
  for (const each of [...guarded, ...possible.filter((one) => !guarded.has(one))]) {
    left.add(each);
    if (fits() === undefined) continue;
    left.remove(each);
    victims.push(each);
  }
  return {
    node: name,
    victims: victims.toSorted(byImportance),
    violations: victims.filter((each) => guarded.has(each)).length,
  };
}

/** Those whose going a disruption budget does not allow any more, if all of them go in this order. */
function protectedBy(
  budgets: readonly PodDisruptionBudget[],
  pods: readonly PlacedPod[],
): ReadonlySet<PlacedPod> {
  const allowed = budgets.map(({ status }) => status?.disruptionsAllowed ?? 0);
  const guarded = new Set<PlacedPod>();
  for (const each of pods) {
    const { name, namespace, labels = {} } = each.pod.metadata;
    for (const [index, { metadata, spec, status }] of budgets.entries()) {
      const { selector } = spec ?? {};
      const isMeant =
        metadata.namespace === namespace &&
        Object.keys(labels).length > 0 &&
        selector !== undefined &&
        !isEmpty(selector) &&
        isSelectedBy(selector, labels);
      // Of those in disruptedPods the budget knows already.
      if (!isMeant || Object.hasOwn(status?.disruptedPods ?? {}, name)) continue;
      allowed[index] = (allowed[index] ?? 0) - 1;
      if (allowed[index] < 0) guarded.add(each);
    }
  }
  return guarded;
}

/** Of a selector without any terms a scheduler thinks that it selects nothing. */
function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

/** The most important one first; of equal ones that which has run longest. */
function byImportance({ pod: one }: PlacedPod, { pod: other }: PlacedPod): number {
  const difference = priorityOf(other) - priorityOf(one);
  return difference === 0 ? startOf(one) - startOf(other) : difference;
}

/** When a pod was started, in milliseconds; one that was not yet is the newest. */
function startOf({ status }: Pod): number {
  const time = Date.parse(status?.startTime ?? "");
  return Number.isNaN(time) ? Number.MAX_SAFE_INTEGER : time;
}

/** What is compared of two candidates, one after the other; the lower one is better. */
const costs: readonly ((candidate: Candidate) => number)[] = [
  ({ violations }) => violations,
  ({ victims: [first] }) => (first === undefined ? -Infinity : priorityOf(first.pod)),
  // So that many of a low priority are not better than few of it.
  ({ victims }) => victims.reduce((sum, { pod }) => sum + priorityOf(pod) + 2 ** 31, 0),
  ({ victims }) => victims.length,
  ({ victims }) => {
    const [first] = victims;
    const highest = first === undefined ? 0 : priorityOf(first.pod);
    const most = victims.filter(({ pod }) => priorityOf(pod) === highest);
    return -Math.min(...most.map(({ pod }) => startOf(pod)));
  },
];

function bestOf(candidates: readonly Candidate[]): Candidate | undefined {
  let best = candidates.filter(({ victims }) => victims.length > 0);
  for (const cost of costs) {
    const least = Math.min(...best.map(cost));
    best = best.filter((each) => cost(each) === least);
    if (best.length <= 1) break;
  }
  return best[0];
}

/** How often each text occurs, in the order of the texts that are written. */
export function counted(texts: readonly string[]): string {
  const counts = Map.groupBy(texts, (text) => text);
  return [...counts]
    .map(([text, all]) => `${all.length} ${text}`)
    .toSorted((one, other) => (one < other ? -1 : 1))
    .join(", ");
}
