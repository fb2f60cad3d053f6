// Where custom and external metrics are asked for, whoever serves them: with the selectors of the autoscaler, by which adapters find them.
// https://github.com/kubernetes/metrics/tree/v0.36.1/pkg/client
import type { KubeClient } from "../../../client/kube-client.ts";
import { parseApiVersion } from "../../../meta/resource-type.ts";
import { formatLabelSelector } from "../../api/selectors/label-selector.ts";

/** A metric, as an autoscaler names it. */
export interface NamedMetric {
  readonly name: string;
  readonly selector?: Selector;
}

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** An object that a metric is of. */
export interface DescribedObject {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
}

interface GroupList {
  readonly groups?: readonly {
    readonly name: string;
    readonly versions: readonly { readonly version: string }[];
  }[];
}

const custom = "custom.metrics.k8s.io";
/** The versions whose answers can be read here. */
const known = ["v1beta1", "v1beta2"];

/** The metric of each pod that a selector, in the form of a request, finds. */
export async function podsMetricPath(
  client: KubeClient,
  { namespace, selector }: { readonly namespace: string; readonly selector: string },
  metric: NamedMetric,
): Promise<string> {
  const path = `${await customRoot(client)}/namespaces/${namespace}/pods/*/${metric.name}`;
  return `${path}${query({ labelSelector: selector, metricLabelSelector: selectorOf(metric) })}`;
}

/** The metric of one object. */
export async function objectMetricPath(
  client: KubeClient,
  namespace: string,
  { apiVersion = "v1", kind, name }: DescribedObject,
  metric: NamedMetric,
): Promise<string> {
  const { group } = parseApiVersion(apiVersion);
  const resource = `${pluralOf(kind)}${group === "" ? "" : `.${group}`}`;
  const path = `${await customRoot(client)}/namespaces/${namespace}/${resource}/${name}/${metric.name}`;
  return `${path}${query({ metricLabelSelector: selectorOf(metric) })}`;
}

/** A metric of nothing in the cluster. */
export function externalMetricPath(namespace: string, metric: NamedMetric): string {
  const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/${namespace}/${metric.name}`;
  return `${path}${query({ labelSelector: selectorOf(metric) })}`;
}

/** In the version that is preferred of those that are known. */
async function customRoot(client: KubeClient): Promise<string> {
  const { groups = [] } = (await client.request({ method: "GET", path: "/apis" })) as GroupList;
  const { versions = [] } = groups.find(({ name }) => name === custom) ?? {};
  const preferred = versions.map(({ version }) => version).find((version) => known.includes(version));
  return `/apis/${custom}/${preferred ?? "v1beta1"}`;
}

function selectorOf({ selector }: NamedMetric): string {
  return formatLabelSelector(selector);
}

function query(parameters: Readonly<Record<string, string>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== "");
  if (given.length === 0) return "";
  return `?${given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}`;
}

/** Metrics of objects are asked for by the plural of their kind. */
function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  if (/(?:s|x|ch|sh)$/.test(lower)) return `${lower}es`;
  return lower.endsWith("y") ? `${lower.slice(0, -1)}ies` : `${lower}s`;
}
