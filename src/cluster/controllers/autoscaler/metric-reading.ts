// What an autoscaler reads to know how many replicas one of its metrics asks for: the metrics APIs, and the pods of the target.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/pkg/controller/podautoscaler/replica_calculator.go
import { printedSelector } from "../printed-selector.ts";
import { ApiError, isNotFound } from "../../../client/api-error.ts";
import type { HorizontalPodAutoscaler } from "../../../kinds/builtin/autoscaling.ts";
import type { Pod } from "../../../kinds/builtin/core.ts";
import { formatQuantity, parseQuantity, Quantity } from "../../../schema/cel/quantity.ts";
import { messageOf } from "../../../ports/operator-error.ts";
import { isPodReady, readyConditionOf } from "../../pods/pod-state.ts";
import type { ControllerContext } from "../controller-context.ts";
import { externalMetricPath, objectMetricPath, podsMetricPath, type NamedMetric } from "./metric-paths.ts";
import {
  replicasForPods,
  replicasForShare,
  replicasForValue,
  type PodGroups,
  type Proposal,
  type Tolerance,
} from "./replica-calculation.ts";

type Spec = NonNullable<HorizontalPodAutoscaler["spec"]>;
/** One metric of an autoscaler. */
export type MetricSpec = NonNullable<Spec["metrics"]>[number];
/** What an autoscaler shows of one metric. */
export type MetricStatus = NonNullable<
  NonNullable<HorizontalPodAutoscaler["status"]>["currentMetrics"]
>[number];
type MetricTarget = NonNullable<MetricSpec["resource"]>["target"];

/** What is scaled. */
export interface ScaledPods {
  readonly namespace: string;
  /** In the form of a request. */
  readonly selector: string;
  readonly pods: readonly Pod[];
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly tolerance: Tolerance;
}

/** What a metric asks for. */
export interface MetricOutcome {
  readonly replicas: number;
  /** As reasons name it. */
  readonly name: string;
  readonly status: MetricStatus;
}

/** A metric that cannot be read, with the reason of the condition. */
export class MetricError extends Error {
  readonly reason: string;
  /** What was tried, where the message does not say it. */
  readonly tried: string;
  constructor(reason: string, message: string, tried = "") {
    super(message);
    this.reason = reason;
    this.tried = tried;
  }
}

/** Milliseconds after its start in which the use of the processor says little of a pod. */
const startUp = 300_000;
/** Milliseconds after its start within which an unready pod is taken for one that was never ready. */
const firstReadiness = 30_000;

/** Reads one metric. Errors: {@link MetricError}. */
export async function readMetric(
  context: ControllerContext,
  target: ScaledPods,
  metric: MetricSpec,
): Promise<MetricOutcome> {
  const { resource, containerResource, pods, object, external } = metric;
  if (resource !== undefined) return readResource(context, target, resource);
  if (containerResource !== undefined) return readResource(context, target, containerResource);
  if (pods !== undefined) return readPods(context, target, pods);
  if (object !== undefined) return readObject(context, target, object);
  if (external !== undefined) return readExternal(context, target, external);
  throw new MetricError(
    "InvalidMetricSourceType",
    `unknown metric source type ${JSON.stringify(metric.type)}`,
  );
}

function readPods(
  context: ControllerContext,
  target: ScaledPods,
  { metric, target: wanted }: NonNullable<MetricSpec["pods"]>,
): Promise<MetricOutcome> {
  const read = async (): Promise<MetricOutcome> => {
    const values = await valuesOfPods(context, target, metric);
    const groups = groupsOf(context, target, undefined, values);
    const share = { value: milli(wanted.averageValue) };
    const { replicas, average } = replicasForPods(target.specReplicas, groups, share, target.tolerance);
    const current = { averageValue: written(average) };
    return {
      replicas,
      name: `pods metric ${metric.name}`,
      status: { type: "Pods", pods: { metric, current } },
    };
  };
  return failing({ reason: "FailedGetPodsMetric", tried: "failed to get pods metric value: " }, read);
}

function readObject(
  context: ControllerContext,
  target: ScaledPods,
  { describedObject, metric, target: wanted }: NonNullable<MetricSpec["object"]>,
): Promise<MetricOutcome> {
  const { namespace } = target;
  const { kind, name } = describedObject;
  const isShared = wanted.averageValue !== undefined;
  const tried = `failed to get object metric value: ${isShared ? `failed to get ${metric.name} object metric: ` : ""}`;
  return failing({ reason: "FailedGetObjectMetric", tried }, async () => {
    const path = await objectMetricPath(context.client, namespace, describedObject, metric);
    const what = `unable to get metric ${metric.name}: ${kind} on ${namespace} ${name}/`;
    const usage = sumOf(await valuesOf(context, path, "custom", what));
    const { replicas, current } = ofWhole(target, usage, wanted);
    return {
      replicas,
      // What all replicas share is called so there too.
      name: isShared ? externalName(metric) : `${kind} metric ${metric.name}`,
      status: { type: "Object", object: { describedObject, metric, current } },
    };
  });
}

function readExternal(
  context: ControllerContext,
  target: ScaledPods,
  { metric, target: wanted }: NonNullable<MetricSpec["external"]>,
): Promise<MetricOutcome> {
  const { namespace } = target;
  const { name } = metric;
  const isShared = wanted.averageValue !== undefined;
  const tried = `failed to get ${name} external metric value: failed to get ${isShared ? `${name} external metric` : `external metric ${name}`}: `;
  return failing({ reason: "FailedGetExternalMetric", tried }, async () => {
    const what = `unable to get external metric ${namespace}/${name}/${printedSelector(metric.selector)}: `;
    const path = externalMetricPath(namespace, metric);
    const { replicas, current } = ofWhole(
      target,
      sumOf(await valuesOf(context, path, "external", what)),
      wanted,
    );
    return {
      replicas,
      name: externalName(metric),
      status: { type: "External", external: { metric, current } },
    };
  });
}

function externalName(metric: NamedMetric): string {
  return `external metric ${metric.name}(${printedSelector(metric.selector)})`;
}

async function readResource(
  context: ControllerContext,
  target: ScaledPods,
  source: { readonly name: string; readonly container?: string; readonly target: MetricTarget },
): Promise<MetricOutcome> {
  const { name, container } = source;
  const failed = container === undefined ? "FailedGetResourceMetric" : "FailedGetContainerResourceMetric";
  const field = container === undefined ? "resource" : "containerResource";
  const type = container === undefined ? "Resource" : "ContainerResource";
  const named = container === undefined ? { name } : { name, container };
  return failing(
    {
      reason: failed,
      what: `failed to get ${name} ${container === undefined ? "" : "container "}${source.target.type === "Utilization" ? "utilization" : "usage"}: `,
      tried: `failed to get ${name} ${container === undefined ? "" : "container "}resource metric value: `,
    },
    async () => {
      const values = await usageOf(context, target, name, container);
      const groups = groupsOf(context, target, name, values);
      const isValue = source.target.averageValue !== undefined;
      const proposal: Proposal = isValue
        ? replicasForPods(
            target.specReplicas,
            groups,
            { value: milli(source.target.averageValue) },
            target.tolerance,
          )
        : replicasForPods(
            target.specReplicas,
            groups,
            {
              value: source.target.averageUtilization ?? 0,
              requests: requestsOf(target.pods, name, container),
            },
            target.tolerance,
          );
      const current = {
        averageValue: name === "memory" ? inBinary(proposal.average) : written(proposal.average),
        ...(proposal.utilization === undefined ? {} : { averageUtilization: proposal.utilization }),
      };
      return {
        replicas: proposal.replicas,
        name: `${name} ${container === undefined ? "" : "container "}resource${isValue ? "" : " utilization (percentage of request)"}`,
        status: { type, [field]: { ...named, current } },
      };
    },
  );
}

/** A value for all replicas, or one that they share. */
function ofWhole(
  { pods, specReplicas, statusReplicas, tolerance }: ScaledPods,
  usage: number,
  target: MetricTarget,
): { readonly replicas: number; readonly current: object } {
  if (target.averageValue !== undefined) {
    const { replicas, average } = replicasForShare(
      statusReplicas,
      usage,
      milli(target.averageValue),
      tolerance,
    );
    return { replicas, current: { averageValue: written(average) } };
  }
  const ready = pods.filter(isPodReady).length;
  const replicas = replicasForValue({ current: specReplicas, ready }, usage, milli(target.value), tolerance);
  return { replicas, current: { value: written(usage) } };
}

/** How the failure to read a metric is put. */
interface Attempt {
  readonly reason: string;
  /** What the message begins with; default nothing. */
  readonly what?: string;
  readonly tried: string;
}

async function failing(
  { reason, what = "", tried }: Attempt,
  read: () => Promise<MetricOutcome>,
): Promise<MetricOutcome> {
  try {
    return await read();
  } catch (error) {
    throw new MetricError(reason, `${what}${refusalOf(error)}`, tried);
  }
}

/** What a server has refused, in its own words: without the request and the status. */
export function refusalOf(error: unknown): string {
  const text = messageOf(error);
  if (!(error instanceof ApiError)) return text;
  return text.replace(`${error.request}: `, "").replace(` (${error.status} ${error.reason})`, "");
}

interface Measured {
  readonly items?: readonly {
    readonly metadata?: { readonly name: string };
    readonly describedObject?: { readonly name: string };
    readonly containers?: readonly {
      readonly name: string;
      readonly usage: Readonly<Record<string, string>>;
    }[];
    readonly value?: string;
  }[];
}

async function ask({ client }: ControllerContext, path: string): Promise<Measured> {
  return (await client.request({ method: "GET", path })) as Measured;
}

async function usageOf(
  context: ControllerContext,
  { namespace, selector }: ScaledPods,
  resource: string,
  container: string | undefined,
): Promise<ReadonlyMap<string, number>> {
  const what = `unable to get metrics for resource ${resource}`;
  const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods?labelSelector=${encodeURIComponent(selector)}`;
  let items: Measured["items"];
  try {
    ({ items = [] } = await ask(context, path));
  } catch (error) {
    const why = isNotFound(error)
      ? "the server could not find the requested resource (get pods.metrics.k8s.io)"
      : refusalOf(error);
    throw new Error(`${what}: unable to fetch metrics from resource metrics API: ${why}`, { cause: error });
  }
  if (items.length === 0) throw new Error(`${what}: no metrics returned from resource metrics API`);
  return new Map(
    items.map(({ metadata, containers = [] }) => [
      metadata?.name ?? "",
      containers
        .filter(({ name }) => container === undefined || name === container)
        .reduce((sum, { usage }) => sum + milli(usage[resource]), 0),
    ]),
  );
}

async function valuesOfPods(
  context: ControllerContext,
  target: ScaledPods,
  metric: NamedMetric,
): Promise<ReadonlyMap<string, number>> {
  const path = await podsMetricPath(context.client, target, metric);
  const items = await valuesOf(context, path, "custom", `unable to get metric ${metric.name}: `);
  return new Map(items.map(({ describedObject, value }) => [describedObject?.name ?? "", milli(value)]));
}

/** What one of the two APIs of named metrics says; `what` begins the message of a failure. Errors: there is nothing, or it cannot be asked. */
async function valuesOf(
  context: ControllerContext,
  path: string,
  api: "custom" | "external",
  what: string,
): Promise<NonNullable<Measured["items"]>> {
  let items: Measured["items"];
  try {
    ({ items = [] } = await ask(context, path));
  } catch (error) {
    const metric = path.replace(/\?.*$/, "").split("/").at(-1);
    const why =
      !isNotFound(error) || !messageOf(error).includes("page not found")
        ? refusalOf(error)
        : api === "custom"
          ? "no custom metrics API (custom.metrics.k8s.io) registered"
          : `the server could not find the requested resource (get ${metric}.external.metrics.k8s.io)`;
    throw new Error(`${what}unable to fetch metrics from ${api} metrics API: ${why}`, { cause: error });
  }
  if (items.length === 0) throw new Error(`${what}no metrics returned from ${api} metrics API`);
  return items;
}

/** Sorts the pods by what can be said of them. Errors: there are none, or none that count. */
function groupsOf(
  { clock }: ControllerContext,
  { pods }: ScaledPods,
  resource: string | undefined,
  values: ReadonlyMap<string, number>,
): PodGroups {
  if (pods.length === 0) throw new Error("no pods returned by selector while calculating replica count");
  const measured = new Map<string, number>();
  const [unready, missing]: [string[], string[]] = [[], []];
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined || pod.status?.phase === "Failed") continue;
    const value = values.get(name);
    if (pod.status?.phase === "Pending") unready.push(name);
    else if (value === undefined) missing.push(name);
    else if (resource === "cpu" && isWarmingUp(pod, clock.now())) unready.push(name);
    else measured.set(name, value);
  }
  if (measured.size === 0)
    throw new Error("did not receive metrics for targeted pods (pods might be unready)");
  return { measured, unready, missing };
}

function isWarmingUp(pod: Pod, now: number): boolean {
  const condition = readyConditionOf(pod);
  const started = Date.parse(pod.status?.startTime ?? "");
  if (condition === undefined || Number.isNaN(started)) return true;
  if (started + startUp > now) return condition.status === "False";
  return (
    condition.status === "False" && started + firstReadiness > Date.parse(condition.lastTransitionTime ?? "")
  );
}

/** What the pods ask for, in thousandths. Errors: a container asks for nothing. */
function requestsOf(
  pods: readonly Pod[],
  resource: string,
  only: string | undefined,
): ReadonlyMap<string, number> {
  return new Map(
    pods.map((pod) => {
      const containers = pod.spec.containers.filter(({ name }) => only === undefined || name === only);
      const sum = containers.reduce((total, { name, resources }) => {
        const asked = resources?.requests?.[resource];
        if (asked !== undefined) return total + milli(asked);
        throw new Error(`missing request for ${resource} in container ${name} of Pod ${pod.metadata.name}`);
      }, 0);
      return [pod.metadata.name, sum];
    }),
  );
}

function sumOf(items: NonNullable<Measured["items"]>): number {
  return items.reduce((sum, { value }) => sum + milli(value), 0);
}

function milli(quantity: string | undefined): number {
  const parsed = parseQuantity(quantity ?? "");
  return parsed === undefined ? 0 : Number((parsed.nano + 999_999n) / 1_000_000n);
}

/** Thousandths of bytes. */
function inBinary(value: number): string {
  return formatQuantity(new Quantity(BigInt(Math.round(value)) * 1_000_000n), "binary");
}

function written(value: number): string {
  return value % 1000 === 0 ? String(value / 1000) : `${value}m`;
}
