// Counts for each PodDisruptionBudget how many of its pods may be evicted now. Evictions themselves are the API server's part.
import { equal } from "../../../schema/json-value.ts";
import { Deployment, ReplicaSet, StatefulSet } from "../../../kinds/builtin/apps.ts";
import { Pod } from "../../../kinds/builtin/core.ts";
import { PodDisruptionBudget } from "../../../kinds/builtin/policy.ts";
import { toTimestamp } from "../../../meta/condition.ts";
import { parseKey } from "../../../meta/object-key.ts";
import { isPodFinished, isPodReady, isPodTerminating } from "../../pods/pod-state.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer } from "../controller-loop.ts";
import { isSelectedBy } from "../../../kinds/selector-match.ts";
import { writeStatus } from "../workload-status.ts";

/** How long an evicted pod counts as gone while it is still there, in milliseconds. */
const deletionTimeout = 120_000;

/** The controller of disruption budgets. RBAC: `list`, `watch` on pods and their owners; all on budgets and their status. */
export function disruptionController(context: ControllerContext): ControllerDefinition {
  const { cache, clock } = context;
  const budgets = cache.informer<PodDisruptionBudget>(PodDisruptionBudget);
  const pods = cache.informer<Pod>(Pod);
  const owners = [cache.informer<ReplicaSet>(ReplicaSet), cache.informer<StatefulSet>(StatefulSet)] as const;
  const deployments = cache.informer<Deployment>(Deployment);

  const budgetsFor = (pod: Pod): readonly string[] =>
    budgets.lister
      .list({ namespace: pod.metadata.namespace })
      .filter(
        ({ spec }) => spec?.selector !== undefined && isSelectedBy(spec.selector, pod.metadata.labels ?? {}),
      )
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);

  /** How many pods the owners of these want in all; a ReplicaSet's number is that of its Deployment. */
  function expectedScale(covered: readonly Pod[]): number {
    const scales = new Map<string, number>();
    for (const { metadata } of covered) {
      const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
      if (owner === undefined) continue;
      const key = { namespace: metadata.namespace, name: owner.name };
      const [sets, stateful] = owners;
      const set = owner.kind === "ReplicaSet" ? sets.lister.get(key) : stateful.lister.get(key);
      const above = set?.metadata.ownerReferences?.find(({ kind }) => kind === Deployment.kind);
      const deployment =
        above === undefined
          ? undefined
          : deployments.lister.get({ namespace: metadata.namespace, name: above.name });
      const wanted = deployment ?? set;
      if (wanted !== undefined) scales.set(wanted.metadata.uid, wanted.spec?.replicas ?? 1);
    }
    return [...scales.values()].reduce((sum, each) => sum + each, 0);
  }

  async function reconcile(key: string): Promise<{ requeueAfter: number } | undefined> {
    const budget = budgets.lister.get(parseKey(key));
    if (budget === undefined) return undefined;
    const { spec, status, metadata } = budget;
    const covered = pods.lister
      .list({ namespace: metadata.namespace })
      .filter((pod) => spec?.selector !== undefined && isSelectedBy(spec.selector, pod.metadata.labels ?? {}))
      .filter((pod) => !isPodFinished(pod));
    const now = clock.now();
    const names = new Set(covered.filter((pod) => !isPodTerminating(pod)).map((pod) => pod.metadata.name));
    const disrupted = Object.entries(status?.disruptedPods ?? {}).filter(
      ([name, since]) => names.has(name) && Date.parse(since) + deletionTimeout > now,
    );
    const gone = new Set(disrupted.map(([name]) => name));
    const healthy = covered.filter(
      (pod) => !isPodTerminating(pod) && !gone.has(pod.metadata.name) && isPodReady(pod),
    ).length;
    const { expected, desired } = wantedOf(spec, covered.length, () => expectedScale(covered));
    const allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired);
    const { generation = 0 } = metadata;
    const condition = {
      type: "DisruptionAllowed",
      status: allowed > 0 ? ("True" as const) : ("False" as const),
      reason: allowed > 0 ? "SufficientPods" : "InsufficientPods",
      message: "",
      observedGeneration: generation,
    };
    const before = status?.conditions?.find(({ type }) => type === condition.type);
    const lastTransitionTime =
      before?.status === condition.status ? before.lastTransitionTime : toTimestamp(now);
    const next = {
      ...status,
      currentHealthy: healthy,
      desiredHealthy: desired,
      expectedPods: expected,
      disruptionsAllowed: allowed,
      observedGeneration: generation,
      conditions: [{ ...condition, lastTransitionTime }],
    };
    const { disruptedPods: _, ...rest } = next;
    const settled = disrupted.length === 0 ? rest : { ...rest, disruptedPods: Object.fromEntries(disrupted) };
    if (!equal(settled, status ?? {})) await writeStatus(context, PodDisruptionBudget, budget, settled);
    return disrupted.length === 0 ? undefined : { requeueAfter: deletionTimeout };
  }

  return {
    name: "disruption",
    sources: [
      fromInformer(budgets, ({ metadata }) => [`${metadata.namespace}/${metadata.name}`]),
      fromInformer(pods, budgetsFor),
    ],
    reconcile,
  };
}

/** How many pods there are to be, and how many of them must be healthy. */
function wantedOf(
  spec: PodDisruptionBudget["spec"],
  present: number,
  scale: () => number,
): { readonly expected: number; readonly desired: number } {
  const { maxUnavailable, minAvailable } = spec ?? {};
  if (maxUnavailable !== undefined) {
    const expected = scale();
    return { expected, desired: Math.max(0, expected - amountOf(maxUnavailable, expected)) };
  }
  if (typeof minAvailable === "number") return { expected: present, desired: minAvailable };
  if (minAvailable === undefined) return { expected: 0, desired: 0 };
  const expected = scale();
  return { expected, desired: amountOf(minAvailable, expected) };
}

/** A number, or a share of a whole, rounded up. */
function amountOf(amount: number | string, whole: number): number {
  return typeof amount === "number" ? amount : Math.ceil((Number.parseFloat(amount) * whole) / 100);
}
