// What is measured in an embedded cluster is what annotations say: of a pod, or else of what the pod belongs to.
//
//   metrics.xstate-operator.dev/cpu: 500m            each pod uses as much
//   shared.metrics.xstate-operator.dev/cpu: "2"      the pods that run share as much
//
// Any other name is a metric of one's own; on other objects it is one of theirs, on a namespace an external one.
import { parseQuantity } from "../../../schema/cel/quantity.ts";
import { parseApiVersion } from "../../../meta/resource-type.ts";
import type { ApiCore } from "../api-core.ts";
import { fieldsOf, type ApiObject } from "../api-object.ts";

const prefix = "metrics.xstate-operator.dev/";

/** What an annotation of an object says of a metric, in thousandths. */
export function annotatedMetric(object: ApiObject, metric: string): number | undefined {
  return thousandths(object.metadata.annotations?.[`${prefix}${metric}`]);
}

/** What a pod uses, or what it is counted for, in thousandths; undefined: nobody says. */
export function podMetric(core: ApiCore, pod: ApiObject, metric: string): number | undefined {
  for (let object: ApiObject | undefined = pod; object !== undefined; object = ownerOf(core, object)) {
    const own = annotatedMetric(object, metric);
    if (own !== undefined) return own;
    const shared = thousandths(object.metadata.annotations?.[`shared.${prefix}${metric}`]);
    if (shared !== undefined) return Math.round(shared / Math.max(1, runningPodsOf(core, object)));
  }
  return undefined;
}

/** Whether a pod runs. */
export function isRunning(pod: ApiObject): boolean {
  return fieldsOf(pod["status"])["phase"] === "Running";
}

/** A number of thousandths as a quantity, in the form that Kubernetes writes. */
export function quantityOf(value: number): string {
  if (value % 1000 !== 0) return `${value}m`;
  const whole = value / 1000;
  const suffixes = ["", "k", "M", "G", "T"];
  let power = 0;
  let left = whole;
  while (left !== 0 && left % 1000 === 0 && power < suffixes.length - 1) {
    left /= 1000;
    power += 1;
  }
  return `${left}${suffixes[power] ?? ""}`;
}

/** A quantity in thousandths, rounded up; undefined for what is none. */
export function thousandths(text: unknown): number | undefined {
  const quantity = typeof text === "string" ? parseQuantity(text) : undefined;
  return quantity === undefined ? undefined : Number((quantity.nano + 999_999n) / 1_000_000n);
}

function ownerOf({ registry, store }: ApiCore, { metadata }: ApiObject): ApiObject | undefined {
  const reference = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (reference === undefined) return undefined;
  const { group, version } = parseApiVersion(reference.apiVersion);
  const type = registry
    .ofGroupVersion(group, version)
    .find(({ kind, namespaced }) => kind === reference.kind && namespaced);
  const owner = type && store.get(type.storageKey, metadata.namespace, reference.name);
  return owner?.metadata.uid === reference.uid ? owner : undefined;
}

function runningPodsOf(core: ApiCore, above: ApiObject): number {
  const belongs = (object: ApiObject | undefined): boolean =>
    object !== undefined && (object.metadata.uid === above.metadata.uid || belongs(ownerOf(core, object)));
  return core.store
    .list("pods")
    .filter((pod) => pod.metadata.namespace === above.metadata.namespace && isRunning(pod) && belongs(pod))
    .length;
}
