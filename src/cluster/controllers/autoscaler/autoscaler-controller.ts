// Sets the replicas of whatever a HorizontalPodAutoscaler names, through its scale subresource, by what the metrics APIs say.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/pkg/controller/podautoscaler/horizontal.go
import { discover } from "../../../client/resource-discovery.ts";
import { HorizontalPodAutoscaler } from "../../../kinds/builtin/autoscaling.ts";
import { Pod } from "../../../kinds/builtin/core.ts";
import { toTimestamp } from "../../../meta/condition.ts";
import { parseKey } from "../../../meta/object-key.ts";
import { objectPath } from "../../../client/request-path.ts";
import { parseQuantity } from "../../../schema/cel/quantity.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer } from "../controller-loop.ts";
import { writeStatus } from "../workload-status.ts";
import { MetricError, readMetric, refusalOf, type MetricStatus, type ScaledPods } from "./metric-reading.ts";
import { limitScale, memoryOf, type Remembered, type ScalingMemory } from "./scaling-limits.ts";

type Spec = NonNullable<HorizontalPodAutoscaler["spec"]>;
type Status = NonNullable<HorizontalPodAutoscaler["status"]>;
type Condition = NonNullable<Status["conditions"]>[number];

/** Milliseconds between two looks at an autoscaler. */
const period = 15_000;
const usualTolerance = 0.1;

interface Scale {
  readonly metadata: object;
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly selector?: string };
}

/** What one look at an autoscaler gathers for its status. */
interface Look {
  readonly autoscaler: HorizontalPodAutoscaler & { readonly spec: Spec };
  readonly now: number;
  conditions: readonly Condition[];
  metrics: readonly MetricStatus[];
}

/**
 * The controller of autoscalers. RBAC: all on autoscalers and their status; `get` and `update` on the scale of what they name; `list` on
 * pods; `get` and `list` on the metrics APIs.
 */
export function autoscalerController(context: ControllerContext): ControllerDefinition {
  const { cache, client, clock, signal } = context;
  const autoscalers = cache.informer<HorizontalPodAutoscaler>(HorizontalPodAutoscaler);
  const events = context.events.from("horizontal-pod-autoscaler");
  const remembered = new Map<string, ScalingMemory>();
  /** The uids of those that are remembered. */
  const identities = new Map<string, string>();

  async function scalePath({ autoscaler: { metadata, spec } }: Look): Promise<string> {
    const { apiVersion = "", kind, name } = spec.scaleTargetRef;
    const found = (await discover(client, signal)).find(apiVersion, kind);
    if (found === undefined) {
      throw new Error(`no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(apiVersion)}`);
    }
    return `${objectPath(found.type, { namespace: metadata.namespace, name })}/scale`;
  }

  async function reconcile(key: string): Promise<{ requeueAfter: number } | undefined> {
    const autoscaler = autoscalers.lister.get(parseKey(key));
    if (autoscaler?.spec === undefined) {
      remembered.delete(key);
      identities.delete(key);
      return undefined;
    }
    const { uid } = autoscaler.metadata;
    if (identities.get(key) !== uid) remembered.delete(key);
    identities.set(key, uid);
    const look: Look = {
      autoscaler: { ...autoscaler, spec: autoscaler.spec },
      now: clock.now(),
      conditions: autoscaler.status?.conditions ?? [],
      metrics: autoscaler.status?.currentMetrics ?? [],
    };
    await scale(key, look);
    return { requeueAfter: period };
  }

  async function scale(key: string, look: Look): Promise<void> {
    const { autoscaler, now } = look;
    const fail = (reason: string, message: string): void =>
      events.record(autoscaler, { type: "Warning", reason, message });
    let path: string;
    let target: Scale;
    try {
      path = await scalePath(look);
      target = (await client.request({ method: "GET", path })) as Scale;
    } catch (error) {
      const why = refusalOf(error);
      fail("FailedGetScale", why);
      const message = `the HPA controller was unable to get the target's current scale: ${why}`;
      set(look, "AbleToScale", "False", { reason: "FailedGetScale", message });
      return write(look, {});
    }
    set(look, "AbleToScale", "True", {
      reason: "SucceededGetScale",
      message: "the HPA controller was able to get the target's current scale",
    });
    const current = target.spec?.replicas ?? 0;
    const memory = (remembered.get(key) ?? {
      recommendations: [{ at: now, replicas: current }],
      ups: [],
      downs: [],
    }) satisfies ScalingMemory;
    remembered.set(key, memory);
    const wanted = await desiredScale(key, look, target);
    const replicas = target.status?.replicas ?? 0;
    if (wanted === "unknown") return write(look, { currentReplicas: replicas, desiredReplicas: undefined });
    if (wanted.replicas === current || wanted.disabled === true) {
      return write(look, {
        currentReplicas: replicas,
        desiredReplicas: wanted.disabled === true ? 0 : current,
      });
    }
    const reason = wanted.reason;
    try {
      const body = { ...target, spec: { ...target.spec, replicas: wanted.replicas } };
      await client.request({ method: "PUT", path, body });
    } catch (error) {
      const why = refusalOf(error);
      fail("FailedRescale", `New size: ${wanted.replicas}; reason: ${reason}; error: ${why}`);
      const message = `the HPA controller was unable to update the target scale: ${why}`;
      set(look, "AbleToScale", "False", { reason: "FailedUpdateScale", message });
      return write(look, { currentReplicas: replicas });
    }
    set(look, "AbleToScale", "True", {
      reason: "SucceededRescale",
      message: `the HPA controller was able to update the target scale to ${wanted.replicas}`,
    });
    const message = `New size: ${wanted.replicas}; reason: ${reason}`;
    events.record(autoscaler, { type: "Normal", reason: "SuccessfulRescale", message });
    remember(key, look, wanted.replicas - current);
    await write(look, {
      currentReplicas: replicas,
      desiredReplicas: wanted.replicas,
      lastScaleTime: toTimestamp(now),
    });
  }

  interface Wanted {
    readonly replicas: number;
    readonly reason: string;
    readonly disabled?: true;
  }

  async function desiredScale(key: string, look: Look, target: Scale): Promise<Wanted | "unknown"> {
    const { spec } = look.autoscaler;
    const { minReplicas: min = 1, maxReplicas: max, behavior } = spec;
    const current = target.spec?.replicas ?? 0;
    const isOutside = current > max || current < min;
    // Then nothing is measured.
    if (isOutside) look.metrics = [];
    if (current === 0 && min !== 0) {
      set(look, "ScalingActive", "False", {
        reason: "ScalingDisabled",
        message: "scaling is disabled since the replica count of the target is zero",
      });
      return { replicas: 0, reason: "", disabled: true };
    }
    if (current > max) {
      return { replicas: max, reason: "Current number of replicas above Spec.MaxReplicas" };
    }
    if (current < min) {
      return { replicas: min, reason: "Current number of replicas below Spec.MinReplicas" };
    }
    const proposal = await proposed(look, target);
    if (proposal === "unknown") return "unknown";
    const memory = remembered.get(key) ?? { recommendations: [], ups: [], downs: [] };
    const limited = limitScale({
      current,
      desired: proposal.replicas,
      min,
      max,
      behavior,
      memory,
      now: look.now,
    });
    const since = look.now - memoryOf(behavior);
    const recent = (list: readonly Remembered[]): readonly Remembered[] =>
      list.filter(({ at }) => at > since);
    remembered.set(key, {
      recommendations: [...recent(memory.recommendations), { at: look.now, replicas: proposal.replicas }],
      ups: recent(memory.ups),
      downs: recent(memory.downs),
    });
    set(look, "AbleToScale", "True", limited.able);
    set(look, "ScalingLimited", limited.limit.limited ? "True" : "False", limited.limit);
    const reason = proposal.replicas > current ? `${proposal.name} above target` : "All metrics below target";
    return { replicas: limited.replicas, reason };
  }

  async function proposed(
    look: Look,
    target: Scale,
  ): Promise<{ readonly replicas: number; readonly name: string } | "unknown"> {
    const { autoscaler } = look;
    const { namespace } = autoscaler.metadata;
    const { selector = "", replicas: statusReplicas = 0 } = target.status ?? {};
    const specReplicas = target.spec?.replicas ?? 0;
    const refuse = (reason: string, message: string, event = message): "unknown" => {
      set(look, "ScalingActive", "False", { reason, message });
      events.record(autoscaler, { type: "Warning", reason: "FailedComputeMetricsReplicas", message: event });
      return "unknown";
    };
    if (selector === "") {
      events.record(autoscaler, { type: "Warning", reason: "SelectorRequired", message: "" });
      return refuse(
        "InvalidSelector",
        "the HPA target's scale is missing a selector",
        "selector is required",
      );
    }
    const { items: pods } = await client.list(Pod, { namespace, labelSelector: selector });
    const { scaleUp, scaleDown } = autoscaler.spec.behavior ?? {};
    const scaled: ScaledPods = {
      namespace,
      selector,
      pods,
      specReplicas,
      statusReplicas,
      tolerance: { up: toleranceOf(scaleUp), down: toleranceOf(scaleDown) },
    };
    const specs = autoscaler.spec.metrics ?? [];
    const statuses: MetricStatus[] = [];
    const failures: MetricError[] = [];
    let best: { replicas: number; name: string } | undefined;
    for (const metric of specs) {
      try {
        const { replicas, name, status } = await readMetric(context, scaled, metric);
        statuses.push(status);
        if (best === undefined || replicas > best.replicas) best = { replicas, name };
      } catch (error) {
        if (!(error instanceof MetricError)) throw error;
        events.record(autoscaler, { type: "Warning", reason: error.reason, message: error.message });
        failures.push(error);
        statuses.push({ type: "" });
      }
    }
    const [first] = failures;
    look.metrics = statuses;
    // What cannot be read does not let it shrink.
    if (first !== undefined && (best === undefined || best.replicas < specReplicas)) {
      const event = `invalid metrics (${failures.length} invalid out of ${specs.length}), first error is: ${first.tried}${first.message}`;
      const message = `the HPA was unable to compute the replica count: ${first.message}`;
      return refuse(first.reason, message, event);
    }
    if (best === undefined) return "unknown";
    set(look, "ScalingActive", "True", {
      reason: "ValidMetricFound",
      message: `the HPA was able to successfully calculate a replica count from ${best.name}`,
    });
    return best;
  }

  /** Keeps what was done, for the rates of the behaviour. */
  function remember(key: string, look: Look, change: number): void {
    const memory = remembered.get(key);
    if (memory === undefined || look.autoscaler.spec.behavior === undefined) return;
    const done = { at: look.now, replicas: Math.abs(change) };
    remembered.set(
      key,
      change > 0 ? { ...memory, ups: [...memory.ups, done] } : { ...memory, downs: [...memory.downs, done] },
    );
  }

  async function write(
    { autoscaler, conditions, metrics }: Look,
    change: { currentReplicas?: number; desiredReplicas?: number | undefined; lastScaleTime?: string },
  ): Promise<void> {
    const { status } = autoscaler;
    const desiredReplicas = change.desiredReplicas ?? status?.desiredReplicas ?? 0;
    const currentReplicas = change.currentReplicas ?? status?.currentReplicas;
    const lastScaleTime = change.lastScaleTime ?? status?.lastScaleTime;
    const next = {
      ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
      ...(currentReplicas === undefined || currentReplicas === 0 ? {} : { currentReplicas }),
      desiredReplicas,
      currentMetrics: metrics.length === 0 ? null : metrics,
      conditions,
    };
    await writeStatus(context, HorizontalPodAutoscaler, autoscaler, next as Status);
  }

  return {
    name: "horizontal-pod-autoscaler",
    sources: [fromInformer(autoscalers, ({ metadata }) => [`${metadata.namespace}/${metadata.name}`])],
    reconcile,
  };
}

function toleranceOf(rules: { readonly tolerance?: string } | undefined): number {
  const given = parseQuantity(rules?.tolerance ?? "");
  return given === undefined ? usualTolerance : Number(given.nano) / 1e9;
}

/** Sets a condition; its time is that at which its status has changed. */
function set(
  look: Look,
  type: string,
  status: "True" | "False",
  { reason, message }: { readonly reason: string; readonly message: string },
): void {
  const before = look.conditions.find((each) => each.type === type);
  const kept = before?.status === status ? before.lastTransitionTime : undefined;
  const next = {
    type,
    status,
    lastTransitionTime: kept ?? toTimestamp(look.now),
    reason,
    message,
  } as Condition;
  look.conditions =
    before === undefined
      ? [...look.conditions, next]
      : look.conditions.map((each) => (each === before ? next : each));
}
