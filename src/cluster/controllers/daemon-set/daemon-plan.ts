// What a daemon set does next: on which nodes a pod is made, and which pods go. An update replaces pods node by node, within what may be
// unavailable, or with a new pod beside the old one where the strategy allows more. Pure.
import type { DaemonSet } from "../../../kinds/builtin/apps.ts";
import type { Node, Pod } from "../../../kinds/builtin/core.ts";
import { availableIn, isPodFinished, isPodTerminating } from "../../pods/pod-state.ts";
import { resolveCount } from "../deployment/rollout-arithmetic.ts";
import { revisionLabel } from "../template-revisions.ts";
import { fitOf, nodeOf } from "../node/node-fit.ts";

/** What the plan is made of. */
export interface DaemonState {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  /** Those that it owns. */
  readonly pods: readonly Pod[];
  /** The label of pods of the present template. */
  readonly hash: string;
  readonly now: number;
}

/** The next steps. */
export interface DaemonPlan {
  /** Names of nodes. */
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
}

/** The pods of each node; of those that are to have one, and of others on which there are some. */
export interface NodePods {
  readonly node: string;
  /** Whether a pod is to be there. */
  readonly runs: boolean;
  readonly stays: boolean;
  /** Oldest first. */
  readonly pods: readonly Pod[];
}

/** The nodes with their pods. */
export function nodePodsOf({ set, nodes, pods }: DaemonState): readonly NodePods[] {
  const byNode = Map.groupBy(pods, nodeOf);
  return nodes.map((node) => {
    const here = byNode.get(node.metadata.name) ?? [];
    const byAge = here.toSorted((a, b) =>
      a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp),
    );
    return { node: node.metadata.name, ...fitOf(set.spec.template.spec ?? emptySpec, node), pods: byAge };
  });
}

const emptySpec = { containers: [] };

/** Whether a pod is there for as long as it has to be. */
export function isAvailable(pod: Pod, { set, now }: Pick<DaemonState, "set" | "now">): boolean {
  return !isPodTerminating(pod) && availableIn(pod, set.spec.minReadySeconds ?? 0, now) === 0;
}

/** The next steps; empty when everything is as it should be or something must be waited for. */
export function planDaemonSet(state: DaemonState): DaemonPlan {
  const { set, hash, nodes, pods } = state;
  const create: string[] = [];
  const remove: Pod[] = [];
  const all = nodePodsOf(state);
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  // A node that is gone has taken its pods with it.
  remove.push(...pods.filter((pod) => !isPodTerminating(pod) && !names.has(nodeOf(pod) ?? "")));
  const isNew = (pod: Pod): boolean => pod.metadata.labels?.[revisionLabel] === hash;
  const running: NodePods[] = [];
  for (const each of all) {
    const present = each.pods.filter((pod) => !isPodTerminating(pod));
    if (!each.runs) {
      if (!each.stays) remove.push(...present);
      continue;
    }
    const finished = present.filter(isPodFinished);
    const alive = present.filter((pod) => !isPodFinished(pod));
    remove.push(...finished);
    if (finished.length === 0 && each.pods.length === 0) create.push(each.node);
    const [olds, news] = [alive.filter((pod) => !isNew(pod)), alive.filter(isNew)];
    // Of each template one, the oldest.
    remove.push(...olds.slice(1), ...news.slice(1));
    running.push({ ...each, pods: [...olds.slice(0, 1), ...news.slice(0, 1)] });
  }
  if (set.spec.updateStrategy?.type !== "OnDelete") update(state, running, isNew, { create, remove });
  return { create, delete: remove };
}

function update(
  state: DaemonState,
  nodes: readonly NodePods[],
  isNew: (pod: Pod) => boolean,
  { create, remove }: { readonly create: string[]; readonly remove: Pod[] },
): void {
  const { maxUnavailable = 1, maxSurge = 0 } = state.set.spec.updateStrategy?.rollingUpdate ?? {};
  const surge = resolveCount(maxSurge, nodes.length, "up");
  const most = resolveCount(maxUnavailable, nodes.length, "up");
  const bound = surge === 0 && most === 0 ? 1 : most;
  let unavailable = nodes.filter(({ pods }) => !pods.some((pod) => isAvailable(pod, state))).length;
  let surging = nodes.filter(({ pods }) => pods.length > 1).length;
  for (const { node, pods } of nodes) {
    const old = pods.find((pod) => !isNew(pod));
    if (old === undefined) continue;
    const next = pods.find(isNew);
    if (next !== undefined) {
      if (isAvailable(next, state)) remove.push(old);
    } else if (!isAvailable(old, state)) {
      // It is missing anyway.
      remove.push(old);
    } else if (surge > surging) {
      surging += 1;
      create.push(node);
    } else if (surge === 0 && unavailable < bound) {
      unavailable += 1;
      remove.push(old);
    }
  }
}
