// Whether a pod may be on a node for the pods that are on it and on others: required affinity and anti-affinity between pods, and the
// constraints of spreading. Pure.
import type { Node, Pod } from "../../../kinds/builtin/core.ts";
import type { Affinity, LabelSelector } from "../../../kinds/builtin/parts.ts";
import { isSelectedBy } from "../../../kinds/selector-match.ts";
import { isPodTerminating } from "../../pods/pod-state.ts";
import { isSelected, tolerates } from "../node/node-fit.ts";
import type { PlacedPod, Placement } from "./placed-pods.ts";

type Term = NonNullable<
  NonNullable<Affinity["podAntiAffinity"]>["requiredDuringSchedulingIgnoredDuringExecution"]
>[number];
type Spread = NonNullable<Pod["spec"]["topologySpreadConstraints"]>[number];
type Labels = Readonly<Record<string, string>>;

/** What there is besides the pod. */
export interface Surroundings {
  readonly nodes: readonly Node[];
  readonly placed: Placement;
  /** The labels of a namespace. */
  readonly labelsOfNamespace: (name: string) => Labels;
}

/** Which of the rules between pods a node breaks. */
export type BrokenRule = "affinity" | "antiAffinity" | "antiAffinityOfOthers";

/** The first rule between pods that is broken on a node; undefined where none is. */
export function brokenRule(pod: Pod, node: Node, around: Surroundings): BrokenRule | undefined {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  const near = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const apart = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  if (near.length > 0 && !isNear(pod, node, near, around)) return "affinity";
  if (apart.some((term) => isMetBy(term, pod, node, around, around.placed.all()))) return "antiAffinity";
  for (const other of around.placed.averse()) {
    const terms = other.pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    const keepsAway = (terms ?? []).some(
      (term) =>
        isMeant(term, other.pod, pod, around) && isSamePlace(term, node, nodeNamed(other.node, around)),
    );
    if (keepsAway) return "antiAffinityOfOthers";
  }
  return undefined;
}

/** Every term is met on the node; or nobody meets one anywhere, and the pod is the first of its own kind. */
function isNear(pod: Pod, node: Node, terms: readonly Term[], around: Surroundings): boolean {
  if (terms.every((term) => isMetBy(term, pod, node, around, around.placed.all()))) return true;
  if (!terms.every((term) => term.topologyKey in labelsOf(node))) return false;
  const isAnywhere = [...around.placed.all()].some(
    (other) =>
      terms.every((term) => isMeant(term, pod, other.pod, around)) &&
      terms.some((term) => term.topologyKey in labelsOf(nodeNamed(other.node, around))),
  );
  return !isAnywhere && terms.every((term) => isMeant(term, pod, pod, around));
}

function isMetBy(
  term: Term,
  pod: Pod,
  node: Node,
  around: Surroundings,
  others: Iterable<PlacedPod>,
): boolean {
  for (const other of others) {
    if (isMeant(term, pod, other.pod, around) && isSamePlace(term, node, nodeNamed(other.node, around)))
      return true;
  }
  return false;
}

/** Whether a term of one pod is about another. */
function isMeant(
  { labelSelector, namespaces = [], namespaceSelector }: Term,
  { metadata: owner }: Pod,
  { metadata: other }: Pod,
  { labelsOfNamespace }: Surroundings,
): boolean {
  const inNamespace =
    namespaces.includes(other.namespace) ||
    (namespaceSelector !== undefined &&
      isSelectedBy(namespaceSelector, labelsOfNamespace(other.namespace))) ||
    (namespaces.length === 0 && namespaceSelector === undefined && other.namespace === owner.namespace);
  return inNamespace && labelSelector !== undefined && isSelectedBy(labelSelector, other.labels ?? {});
}

function isSamePlace({ topologyKey }: Term, node: Node, other: Node | undefined): boolean {
  const here = labelsOf(node)[topologyKey];
  return here !== undefined && here === labelsOf(other)[topologyKey];
}

function nodeNamed(name: string, { nodes }: Surroundings): Node | undefined {
  return nodes.find(({ metadata }) => metadata.name === name);
}

/** How a node breaks a constraint of spreading: by a label that it lacks, or by the pods that are there. */
export function brokenSpread(pod: Pod, node: Node, around: Surroundings): "label" | "skew" | undefined {
  const constraints = (pod.spec.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule",
  );
  for (const constraint of constraints) {
    const here = labelsOf(node)[constraint.topologyKey];
    if (here === undefined) return "label";
    const selects = selectionOf(constraint, pod);
    const counts = countsOf(constraint, constraints, pod, around, selects);
    const isFew = constraint.minDomains !== undefined && counts.size < constraint.minDomains;
    const least = isFew || counts.size === 0 ? 0 : Math.min(...counts.values());
    const own = selects(pod.metadata.labels ?? {}) ? 1 : 0;
    if ((counts.get(here) ?? 0) + own - least > constraint.maxSkew) return "skew";
  }
  return undefined;
}

/** The pods that a constraint counts, in each of its places. */
function countsOf(
  { topologyKey, nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" }: Spread,
  all: readonly Spread[],
  pod: Pod,
  { nodes, placed }: Surroundings,
  selects: (labels: Labels) => boolean,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    const labels = labelsOf(node);
    const place = labels[topologyKey];
    if (place === undefined || !all.every((each) => each.topologyKey in labels)) continue;
    if (nodeAffinityPolicy === "Honor" && !isSelected(pod.spec, node)) continue;
    if (nodeTaintsPolicy === "Honor" && !isTolerated(pod, node)) continue;
    let count = 0;
    for (const { pod: other } of placed.on(node.metadata.name).values()) {
      const { metadata } = other;
      if (metadata.namespace !== pod.metadata.namespace || isPodTerminating(other)) continue;
      if (selects(metadata.labels ?? {})) count += 1;
    }
    counts.set(place, (counts.get(place) ?? 0) + count);
  }
  return counts;
}

function selectionOf(
  { labelSelector, matchLabelKeys = [] }: Spread,
  { metadata: { labels = {} } }: Pod,
): (labels: Labels) => boolean {
  const alike = matchLabelKeys.filter((key) => key in labels);
  const selector: LabelSelector | undefined = labelSelector;
  return (others) =>
    selector !== undefined &&
    isSelectedBy(selector, others) &&
    alike.every((key) => others[key] === labels[key]);
}

function isTolerated({ spec: { tolerations = [] } }: Pod, { spec }: Node): boolean {
  return (spec?.taints ?? [])
    .filter(({ effect }) => effect !== "PreferNoSchedule")
    .every((taint) => tolerations.some((each) => tolerates(each, taint)));
}

function labelsOf(node: Node | undefined): Labels {
  return node?.metadata.labels ?? {};
}
