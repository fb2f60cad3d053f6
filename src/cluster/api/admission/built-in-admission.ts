// What the API server's own admission settles in an object that is created, before webhooks see it: limits, account, priority, tolerations, runtime class and place of pods,
// the default class of claims and ingresses, the finalizer of volumes in use, the taint of nodes; and what it refuses to create or to delete.
// https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/
import type { ApiCore } from "../api-core.ts";
import { ensureFields, fieldsList, textOf, type ApiObject } from "../api-object.ts";
import { assertGrowable } from "./claim-growth.ts";
import { assertWithinLimits, settleLimits } from "./limit-ranges.ts";
import { settleAccount } from "./pod-accounts.ts";
import { settleTopology } from "./pod-topology.ts";
import { assertOverhead, settleRuntimeClass } from "./runtime-classes.ts";
import { lastingNamespaces, systemPriorities } from "../initial-objects.ts";
import { addLossTolerations } from "../loss-tolerations.ts";
import type { ServedType } from "../served-type.ts";
import { forbiddenCreation, forbiddenObject } from "../status-error.ts";

/** What is created. */
export interface SettledCreation {
  readonly type: ServedType;
  readonly subresource: string | undefined;
}

type Settle = (core: Pick<ApiCore, "store" | "random">, object: ApiObject, type: ServedType) => void;

const settled: Readonly<Record<string, Settle>> = {
  pods(core, object, type) {
    settleLimits(core, object);
    settleAccount(core, object, type);
    settlePriority(core, object, type);
    addLossTolerations(ensureFields(object, "spec"));
    settleRuntimeClass(core, object, type);
    settleTopology(core, object);
  },
  persistentvolumeclaims(core, object) {
    settleStorageClass(core, object);
    protect(object, "kubernetes.io/pvc-protection");
  },
  persistentvolumes: (_core, object) => protect(object, "kubernetes.io/pv-protection"),
  "volumeattributesclasses.storage.k8s.io": (_core, object) =>
    protect(object, "kubernetes.io/vac-protection"),
  "ingresses.networking.k8s.io": settleIngressClass,
  nodes: (_core, object) => taintAsNew(object),
};

/** Settles an object that is created, in place. Errors: 403. */
export function settleCreation(
  core: Pick<ApiCore, "store" | "random">,
  { type, subresource }: SettledCreation,
  object: ApiObject,
): void {
  if (subresource !== undefined || type.custom || !Object.hasOwn(settled, type.storageKey)) return;
  settled[type.storageKey]?.(core, object, type);
}

/** Refuses what is created outside the limits of its namespace, or with an overhead that nobody has given to it. Errors: 403. */
export function assertCreatable(
  core: Pick<ApiCore, "store">,
  { type, subresource }: SettledCreation,
  object: ApiObject,
): void {
  if (
    subresource !== undefined ||
    (type.storageKey !== "pods" && type.storageKey !== "persistentvolumeclaims")
  ) {
    return;
  }
  assertWithinLimits(core, type, object);
  if (type.storageKey === "pods") assertOverhead(core, type, object);
}

/** Refuses a resize of a pod, and a change of a claim, beyond the limits of its namespace, and a claim that may not grow. Errors: 403. */
export function assertChangeable(
  core: Pick<ApiCore, "store">,
  { type, subresource }: SettledCreation,
  object: ApiObject,
  before: ApiObject,
): void {
  const isResized = type.storageKey === "pods" && subresource === "resize";
  const isClaim = type.storageKey === "persistentvolumeclaims" && subresource === undefined;
  if (isResized || isClaim) assertWithinLimits(core, type, object);
  if (isClaim) assertGrowable(core, type, object, before);
}

/** Refuses to delete what no cluster can be without. Errors: 403. */
export function assertDeletable(type: ServedType, name: string): void {
  if (type.storageKey === "namespaces" && lastingNamespaces.has(name))
    throw forbiddenObject(type, name, "this namespace may not be deleted");
  if (type.storageKey === "priorityclasses.scheduling.k8s.io" && Object.hasOwn(systemPriorities, name))
    throw forbiddenObject(type, name, "this is a system priority class and cannot be deleted");
}

function settlePriority({ store }: Pick<ApiCore, "store">, pod: ApiObject, type: ServedType): void {
  const spec = ensureFields(pod, "spec");
  const classes = store.list("priorityclasses.scheduling.k8s.io");
  const named = textOf(spec["priorityClassName"]);
  const chosen =
    named === ""
      ? classes
          .filter(({ globalDefault }) => globalDefault === true)
          .sort((a, b) => Number(a["value"]) - Number(b["value"]))[0]
      : classes.find(({ metadata }) => metadata.name === named);
  if (named !== "" && chosen === undefined) {
    throw forbiddenCreation(type, pod, `no PriorityClass with name ${named} was found`);
  }
  const value = Number(chosen?.["value"] ?? 0);
  const preemptionPolicy = chosen?.["preemptionPolicy"] ?? "PreemptLowerPriority";
  const given = spec["priority"];
  if (given !== undefined && given !== value) {
    const detail = `the integer value of priority (${Number(given)}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`;
    throw forbiddenCreation(type, pod, detail);
  }
  const policy = spec["preemptionPolicy"];
  if (policy !== undefined && policy !== preemptionPolicy) {
    const detail = `the string value of PreemptionPolicy (${textOf(policy)}) must not be provided in pod spec; priority admission controller computed ${textOf(preemptionPolicy)} from the given PriorityClass name`;
    throw forbiddenCreation(type, pod, detail);
  }
  if (chosen !== undefined) spec["priorityClassName"] = chosen.metadata.name;
  spec["priority"] = value;
  spec["preemptionPolicy"] = preemptionPolicy;
}

/** The newest of the classes that are marked as the default one. */
function defaultClass(
  { store }: Pick<ApiCore, "store">,
  storageKey: string,
  annotation: string,
): ApiObject | undefined {
  return store
    .list(storageKey)
    .filter(({ metadata }) => metadata.annotations?.[annotation] === "true")
    .sort((a, b) => {
      const [left, right] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
      if (left !== right) return left < right ? 1 : -1;
      return a.metadata.name < b.metadata.name ? -1 : 1;
    })[0];
}

function settleStorageClass(core: Pick<ApiCore, "store">, claim: ApiObject): void {
  const spec = ensureFields(claim, "spec");
  const { "volume.beta.kubernetes.io/storage-class": former } = claim.metadata.annotations ?? {};
  if (spec["storageClassName"] !== undefined || former !== undefined) return;
  const mark = "storageclass.kubernetes.io/is-default-class";
  const chosen = defaultClass(core, "storageclasses.storage.k8s.io", mark);
  if (chosen !== undefined) spec["storageClassName"] = chosen.metadata.name;
}

/** Keeps a volume or a claim until the controllers say that nothing uses it. */
function protect({ metadata }: ApiObject, finalizer: string): void {
  const { finalizers = [] } = metadata;
  if (!finalizers.includes(finalizer)) metadata.finalizers = [...finalizers, finalizer];
}

/** Nothing is put on a node before it is known to be ready: whoever watches the nodes takes the taint away then. */
function taintAsNew(node: ApiObject): void {
  const spec = ensureFields(node, "spec");
  const [key, effect] = ["node.kubernetes.io/not-ready", "NoSchedule"];
  const taints = fieldsList(spec["taints"]);
  if (taints.some((taint) => taint["key"] === key && taint["effect"] === effect)) return;
  spec["taints"] = [...taints, { key, effect }];
}

function settleIngressClass(core: Pick<ApiCore, "store">, ingress: ApiObject, type: ServedType): void {
  const spec = ensureFields(ingress, "spec");
  const { "kubernetes.io/ingress.class": former } = ingress.metadata.annotations ?? {};
  if (spec["ingressClassName"] !== undefined || former !== undefined) return;
  const mark = "ingressclass.kubernetes.io/is-default-class";
  const chosen = defaultClass(core, `ingressclasses.${type.group}`, mark);
  if (chosen !== undefined) spec["ingressClassName"] = chosen.metadata.name;
}
