// On which nodes a pod template may run: its node name, node selector and required affinity, and the taints that it tolerates. Pure.
import type { Node, Pod } from "../../../kinds/builtin/core.ts";
import type { PodSpec } from "../../../kinds/builtin/parts.ts";

type Taint = NonNullable<NonNullable<Node["spec"]>["taints"]>[number];
type Toleration = NonNullable<PodSpec["tolerations"]>[number];
type NodeRequirement = {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
};

/** What the pods of every daemon set tolerate: nodes that are in trouble have them too. */
const everyDaemon: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];

/** What the pods of a daemon set tolerate besides what their template says. */
export function daemonTolerations({ hostNetwork }: PodSpec): readonly Toleration[] {
  if (hostNetwork !== true) return everyDaemon;
  return [
    ...everyDaemon,
    { key: "node.kubernetes.io/network-unavailable", operator: "Exists", effect: "NoSchedule" },
  ];
}

/** Whether a new pod of the template belongs on a node, and whether one that is there may stay. */
export function fitOf(spec: PodSpec, node: Node): { readonly runs: boolean; readonly stays: boolean } {
  const fits = (spec.nodeName ?? node.metadata.name) === node.metadata.name && isSelected(spec, node);
  const tolerations = [...(spec.tolerations ?? []), ...daemonTolerations(spec)];
  const untolerated = (node.spec?.taints ?? []).filter(
    (taint) => !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
  const blocks = (effects: readonly string[]): boolean =>
    untolerated.some(({ effect }) => effects.includes(effect));
  return {
    runs: fits && !blocks(["NoSchedule", "NoExecute"]),
    stays: fits && !blocks(["NoExecute"]),
  };
}

/** The node that a pod is bound to, or is meant for by its affinity. */
export function nodeOf({ spec }: Pick<Pod, "spec">): string | undefined {
  if (spec.nodeName !== undefined && spec.nodeName !== "") return spec.nodeName;
  const terms =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  for (const { matchFields = [] } of terms ?? []) {
    const named = matchFields.find(({ key, operator }) => key === "metadata.name" && operator === "In");
    if (named?.values?.length === 1) return named.values[0];
  }
  return undefined;
}

/** The affinity that leads a pod to one node, beside what the template says of others. */
export function affinityTo(node: string, affinity: PodSpec["affinity"]): NonNullable<PodSpec["affinity"]> {
  const matchFields = [{ key: "metadata.name", operator: "In", values: [node] }];
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
    },
  };
}

/** Whether a node has what the node selector and the required affinity of a pod ask for. */
export function isSelected(spec: PodSpec, { metadata: { name, labels = {} } }: Node): boolean {
  if (!Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) return true;
  return required.nodeSelectorTerms.some(
    ({ matchExpressions = [], matchFields = [] }) =>
      matchExpressions.length + matchFields.length > 0 &&
      matchExpressions.every((each) => isFulfilled(each, labels[each.key])) &&
      matchFields.every((each) => isFulfilled(each, each.key === "metadata.name" ? name : undefined)),
  );
}

function isFulfilled({ operator, values = [] }: NodeRequirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return Number(value) > Number(values[0]);
    case "Lt":
      return Number(value) < Number(values[0]);
    default:
      return false;
  }
}

/** Whether a toleration is one of a taint. */
export function tolerates(
  { key, operator = "Equal", value = "", effect }: Toleration,
  taint: Taint,
): boolean {
  if (effect !== undefined && effect !== "" && effect !== taint.effect) return false;
  if (key === undefined || key === "") return operator === "Exists";
  return key === taint.key && (operator === "Exists" || value === (taint.value ?? ""));
}
