// Counts for each PodDisruptionBudget how many of its pods may be evicted now. Evictions themselves are the API server's part.
import { equal } from "../../../schema/json-value.ts";
import { refusalOf } from "../../../client/api-error.ts";
import { Pod } from "../../../kinds/builtin/core.ts";
import { PodDisruptionBudget } from "../../../kinds/builtin/policy.ts";
import { toTimestamp } from "../../../meta/condition.ts";
import { parseKey } from "../../../meta/object-key.ts";
import { isPodReady, isPodTerminating } from "../../pods/pod-state.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer } from "../controller-loop.ts";
import { isSelectedBy } from "../../../kinds/selector-match.ts";
import { messageOf, OperatorError } from "../../../ports/operator-error.ts";
import { printedSelector } from "../printed-selector.ts";
import { writeStatus } from "../workload-status.ts";
import { expectedScaleOf } from "./expected-scale.ts";

/** How long an evicted pod counts as gone while it is still there, in milliseconds. */
const deletionTimeout = 120_000;

/** The controller of disruption budgets. RBAC: `list`, `watch` on pods and their owners; all on budgets and their status. */
export function disruptionController(context: ControllerContext): ControllerDefinition {
  const { cache, clock } = context;
  // Kubernetes' controller of this name says no more of itself.
  const events = context.events.from("controllermanager");
  const budgets = cache.informer<PodDisruptionBudget>(PodDisruptionBudget);
  const pods = cache.informer<Pod>(Pod);
  const scaleOf = expectedScaleOf(context);

  const budgetsFor = (pod: Pod): readonly string[] =>
    budgets.lister
      .list({ namespace: pod.metadata.namespace })
      .filter(
        ({ spec }) => spec?.selector !== undefined && isSelectedBy(spec.selector, pod.metadata.labels ?? {}),
      )
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);

  /** How many pods there are to be, and how many of them must be healthy. */
  async function wantedOf(
    budget: PodDisruptionBudget,
    covered: readonly Pod[],
  ): Promise<{ readonly expected: number; readonly desired: number }> {
    const { maxUnavailable, minAvailable, selector } = budget.spec ?? {};
    if (maxUnavailable === undefined && typeof minAvailable === "number")
      return { expected: covered.length, desired: minAvailable };
    if (maxUnavailable === undefined && minAvailable === undefined) return { expected: 0, desired: 0 };
    const { expected, hasUnmanaged } = await scaleOf(covered);
    if (hasUnmanaged) {
      const message = `Pods selected by this PodDisruptionBudget (selector: ${printedSelector(selector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
      events.record(budget, { type: "Warning", reason: "UnmanagedPods", message });
    }
    return {
      expected,
      desired:
        maxUnavailable === undefined
          ? amountOf(minAvailable ?? 0, expected)
          : Math.max(0, expected - amountOf(maxUnavailable, expected)),
    };
  }

  /** Nothing may be evicted of what cannot be counted. */
  async function forbidAll(budget: PodDisruptionBudget, error: unknown): Promise<void> {
    const why = error instanceof OperatorError ? messageOf(error) : refusalOf(error);
    const message = `Failed to calculate the number of expected pods: ${why}`;
    events.record(budget, { type: "Warning", reason: "CalculateExpectedPodCountFailed", message });
    const { status } = budget;
    const { observedGeneration } = status ?? {};
    const condition = {
      type: "DisruptionAllowed",
      status: "False" as const,
      reason: "SyncFailed",
      message: why,
      ...(observedGeneration === undefined ? {} : { observedGeneration }),
    };
    await writeStatus(context, PodDisruptionBudget, budget, {
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
      ...status,
      disruptionsAllowed: 0,
      conditions: [{ ...condition, lastTransitionTime: transitionOf(budget, "False", clock.now()) }],
    });
  }

  async function reconcile(key: string): Promise<{ requeueAfter: number } | undefined> {
    const budget = budgets.lister.get(parseKey(key));
    if (budget === undefined) return undefined;
    const { spec, status, metadata } = budget;
    const covered = pods.lister
      .list({ namespace: metadata.namespace })
      .filter(
        (pod) => spec?.selector !== undefined && isSelectedBy(spec.selector, pod.metadata.labels ?? {}),
      );
    if (covered.length === 0)
      events.record(budget, { type: "Normal", reason: "NoPods", message: "No matching pods found" });
    let wanted: { readonly expected: number; readonly desired: number };
    try {
      wanted = await wantedOf(budget, covered);
    } catch (error) {
      context.signal.throwIfAborted();
      await forbidAll(budget, error);
      throw error;
    }
    const { expected, desired } = wanted;
    const now = clock.now();
    const names = new Set(covered.filter((pod) => !isPodTerminating(pod)).map((pod) => pod.metadata.name));
    const disrupted = Object.entries(status?.disruptedPods ?? {}).filter(
      ([name, since]) => names.has(name) && Date.parse(since) + deletionTimeout > now,
    );
    const gone = new Set(disrupted.map(([name]) => name));
    const healthy = covered.filter(
      (pod) => !isPodTerminating(pod) && !gone.has(pod.metadata.name) && isPodReady(pod),
    ).length;
    const allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired);
    const { generation = 0 } = metadata;
    const condition = {
      type: "DisruptionAllowed",
      status: allowed > 0 ? ("True" as const) : ("False" as const),
      reason: allowed > 0 ? "SufficientPods" : "InsufficientPods",
      message: "",
      observedGeneration: generation,
    };
    const lastTransitionTime = transitionOf(budget, condition.status, now);
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

/** Since when the condition has a status. */
function transitionOf({ status }: PodDisruptionBudget, next: "True" | "False", now: number): string {
  const before = status?.conditions?.find(({ type }) => type === "DisruptionAllowed");
  return before?.status === next ? before.lastTransitionTime : toTimestamp(now);
}

/** A number, or a share of a whole, rounded up. */
function amountOf(amount: number | string, whole: number): number {
  return typeof amount === "number" ? amount : Math.ceil((Number.parseFloat(amount) * whole) / 100);
}
