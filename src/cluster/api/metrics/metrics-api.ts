// The three APIs of metrics, which autoscalers and `kubectl top` read: of resources, of objects, and external ones. What they say is in
// metric-annotations.ts. Served where the cluster is started with `metrics`, as a metrics server is something to install elsewhere too.
import type { ApiCore } from "../api-core.ts";
import { timestampOf } from "../api-core.ts";
import { fieldsList, fieldsOf, textOf, type ApiObject } from "../api-object.ts";
import type { ResourcePath } from "../requests/request-path.ts";
import { matchesLabels } from "../selectors/label-selector.ts";
import { parseLabelSelector } from "../selectors/parse-label-selector.ts";
import type { ServedType } from "../served-type.ts";
import { methodNotAllowed, StatusError } from "../status-error.ts";
import { annotatedMetric, isRunning, podMetric, quantityOf } from "./metric-annotations.ts";

const resources = "metrics.k8s.io";
const ofObjects = "custom.metrics.k8s.io";
const external = "external.metrics.k8s.io";
const version = "v1beta1";

/** Makes the metrics of resources known to whoever asks what is served. */
export function serveMetrics({ registry }: ApiCore): void {
  for (const [kind, plural, namespaced] of [
    ["PodMetrics", "pods", true],
    ["NodeMetrics", "nodes", false],
  ] as const) {
    registry.add(metricsType(kind, plural, namespaced));
  }
}

/** What a path of one of the APIs is answered with; undefined where it is none, or they are not served. Errors: StatusError. */
export function answerMetrics(
  core: ApiCore,
  method: string,
  path: ResourcePath,
  query: URLSearchParams,
): object | undefined {
  if (![resources, ofObjects, external].includes(path.group) || path.version !== version) return undefined;
  if (core.registry.find(resources, version, "pods") === undefined || path.plural === undefined)
    return undefined;
  if (method !== "GET") throw methodNotAllowed();
  if (path.group === resources) return resourceMetrics(core, path, query);
  return path.group === ofObjects ? objectMetrics(core, path, query) : externalMetrics(core, path);
}

function resourceMetrics(core: ApiCore, path: ResourcePath, query: URLSearchParams): object | undefined {
  const { plural, name, namespace } = path;
  if (plural !== "pods" && plural !== "nodes") return undefined;
  const kind = plural === "pods" ? "PodMetrics" : "NodeMetrics";
  const measured =
    plural === "pods"
      ? podsOf(core, namespace, query).flatMap((pod) => podUsage(core, pod) ?? [])
      : core.store.list("nodes").map((node) => nodeUsage(core, node));
  const head = { apiVersion: `${resources}/${version}` };
  if (name === undefined) {
    return { kind: `${kind}List`, ...head, metadata: {}, items: measured };
  }
  const found = measured.find(({ metadata }) => metadata.name === name);
  if (found !== undefined) return { kind, ...head, ...found };
  const full = plural === "pods" ? `${namespace}/${name}` : name;
  throw new StatusError(404, "NotFound", `${plural}.${resources} "${full}" not found`, {
    name: full,
    group: resources,
    kind: plural,
  });
}

interface Usage {
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

function podUsage(core: ApiCore, pod: ApiObject): Usage | undefined {
  const of = (resource: string): number | undefined => podMetric(core, pod, resource);
  const [cpu, memory] = [of("cpu"), of("memory")];
  if (!isRunning(pod) || (cpu === undefined && memory === undefined)) return undefined;
  const { name, namespace, labels, creationTimestamp } = pod.metadata;
  const containers = fieldsList(fieldsOf(pod["spec"])["containers"]).map((container, index) => {
    const share = (resource: string, whole: number | undefined): string =>
      quantityOf(of(`${resource}.${textOf(container["name"])}`) ?? (index === 0 ? (whole ?? 0) : 0));
    return { name: container["name"], usage: { cpu: share("cpu", cpu), memory: share("memory", memory) } };
  });
  return {
    metadata: { name, namespace, labels, creationTimestamp },
    ...measuredNow(core),
    containers,
  };
}

function nodeUsage(core: ApiCore, node: ApiObject): Usage {
  const { name, labels, creationTimestamp } = node.metadata;
  const sum = (resource: string): string =>
    quantityOf(
      core.store
        .list("pods")
        .filter((pod) => isRunning(pod) && fieldsOf(pod["spec"])["nodeName"] === name)
        .reduce((total, pod) => total + (podMetric(core, pod, resource) ?? 0), 0),
    );
  return {
    metadata: { name, labels, creationTimestamp },
    ...measuredNow(core),
    usage: { cpu: sum("cpu"), memory: sum("memory") },
  };
}

/** At this very moment: whatever an annotation says, it says now. */
function measuredNow(core: ApiCore): { readonly timestamp: string; readonly window: string } {
  return { timestamp: timestampOf(core), window: "0s" };
}

function podsOf({ store }: ApiCore, namespace: string, query: URLSearchParams): ApiObject[] {
  const selector = parseLabelSelector(query.get("labelSelector") ?? "");
  return store
    .list("pods")
    .filter(
      ({ metadata }) =>
        (namespace === "" || metadata.namespace === namespace) && matchesLabels(selector, metadata.labels),
    );
}

/** Of the pods that are selected (their name is a star then), or of one object. */
function objectMetrics(core: ApiCore, path: ResourcePath, query: URLSearchParams): object {
  const { plural = "", name = "", namespace, subresource: metric = "" } = path;
  const type = core.registry
    .all()
    .find((each) => plural === each.plural || plural === `${each.plural}.${each.group}`);
  const value = (object: ApiObject): number | undefined =>
    plural === "pods" ? podMetric(core, object, metric) : annotatedMetric(object, metric);
  const objects =
    name === "*"
      ? podsOf(core, namespace, query).filter(isRunning)
      : [type && core.store.get(type.storageKey, type.namespaced ? namespace : undefined, name)];
  const items = objects.flatMap((object) => {
    const found = object && value(object);
    if (object === undefined || found === undefined) return [];
    const { name: title, namespace: place } = object.metadata;
    return {
      describedObject: { kind: type?.kind, namespace: place, name: title, apiVersion: object.apiVersion },
      metricName: metric,
      timestamp: timestampOf(core),
      value: quantityOf(found),
      selector: null,
    };
  });
  if (items.length > 0) {
    return { kind: "MetricValueList", apiVersion: `${ofObjects}/${version}`, metadata: {}, items };
  }
  throw noMetric(
    `the server could not find the metric ${metric} for ${plural}${name === "*" ? "" : ` ${name}`}`,
  );
}

function externalMetrics(core: ApiCore, { plural: metric = "", namespace }: ResourcePath): object {
  const place = core.store.get("namespaces", undefined, namespace);
  const value = place && annotatedMetric(place, metric);
  if (value === undefined)
    throw noMetric(`the server could not find the metric ${metric} in namespace ${namespace}`);
  return {
    kind: "ExternalMetricValueList",
    apiVersion: `${external}/${version}`,
    metadata: {},
    items: [{ metricName: metric, metricLabels: {}, timestamp: timestampOf(core), value: quantityOf(value) }],
  };
}

function noMetric(message: string): StatusError {
  return new StatusError(404, "NotFound", message);
}

function metricsType(kind: string, plural: string, namespaced: boolean): ServedType {
  return {
    group: resources,
    version,
    kind,
    plural,
    singular: "",
    listKind: `${kind}List`,
    shortNames: [],
    categories: [],
    namespaced,
    storageKey: `${plural}.${resources}`,
    custom: false,
    schema: { type: "object" },
    hasStatus: false,
    scale: undefined,
    verbs: ["get", "list"],
    behaviour: {},
    columns: [],
    shape: (body) => ({ object: body as ApiObject, unknownFields: [], typeErrors: [] }),
    fromStorage: (object) => object,
    toStorage: (object) => object,
  };
}
