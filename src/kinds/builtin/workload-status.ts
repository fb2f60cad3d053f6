// What can be asked of the workloads: how many of their pods are ready or run, and whether a roll-out is through.
// All answers come from objects that the caller has; nothing is fetched.
import type { KubeObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import type { DaemonSet, Deployment, StatefulSet } from "./apps.ts";
import type { Pod } from "./core.ts";

/** How many of the desired pods have a property. */
export interface PodsCount {
  /** Pods that are ready. */
  readonly ready: number;
  /** Desired and not ready; never negative. */
  readonly missing: number;
}

/** Whether deletion of the object was asked for. A terminating object is never ready, whatever its status says. */
export function isTerminating(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/**
 * The ready pods of a workload. All desired ones are missing when it is absent, terminating, or its status speaks about
 * an older generation.
 */
export function readyPodsCount(workload: Deployment | StatefulSet | undefined): PodsCount {
  if (workload === undefined) return { ready: 0, missing: 0 };
  const desired = workload.spec.replicas ?? 1;
  const ready = isTerminating(workload) || !isObserved(workload) ? 0 : (workload.status?.readyReplicas ?? 0);
  return { ready, missing: Math.max(0, desired - ready) };
}

/** How many of the pods run; terminating ones are not counted. */
export function runningPodsCount(pods: readonly Pod[]): number {
  return pods.filter((pod) => pod.status?.phase === "Running" && !isTerminating(pod)).length;
}

/**
 * Whether every desired pod has the present template and is available, and no old one is left.
 * What a `partition` keeps back is counted as wanted.
 */
export function isRolledOut(workload: Deployment | StatefulSet | DaemonSet | undefined): boolean {
  if (workload === undefined || isTerminating(workload) || !isObserved(workload)) return false;
  if (isDaemonSet(workload)) {
    const {
      desiredNumberScheduled = 0,
      updatedNumberScheduled = 0,
      numberAvailable = 0,
    } = workload.status ?? {};
    return updatedNumberScheduled >= desiredNumberScheduled && numberAvailable >= desiredNumberScheduled;
  }
  const { status, spec } = workload;
  const desired = spec.replicas ?? 1;
  const {
    replicas = 0,
    updatedReplicas = 0,
    readyReplicas = 0,
    availableReplicas = readyReplicas,
  } = status ?? {};
  const kept = "serviceName" in spec || "updateStrategy" in spec ? partitionOf(spec) : 0;
  return (
    replicas === desired &&
    readyReplicas >= desired &&
    availableReplicas >= desired &&
    updatedReplicas >= Math.max(0, desired - kept)
  );
}

/** Whether the status speaks about the present generation. */
function isObserved(workload: Deployment | StatefulSet | DaemonSet): boolean {
  return (workload.status?.observedGeneration ?? 0) >= (workload.metadata.generation ?? 0);
}

function isDaemonSet(workload: Deployment | StatefulSet | DaemonSet): workload is DaemonSet {
  return workload.kind === "DaemonSet";
}

function partitionOf(spec: StatefulSet["spec"]): number {
  return spec.updateStrategy?.rollingUpdate?.partition ?? 0;
}

/** How many pods of workloads that are being replaced have the present template. */
export interface Rollout {
  readonly done: number;
  readonly total: number;
  /** For people: `pods of StatefulSet/db updated`. */
  readonly what: string;
}

/** Whether {@link rolloutOf} says anything of objects of a type. */
export function hasRollout({ group, kind }: Pick<ResourceType, "group" | "kind">): boolean {
  return group === "apps" && (kind === "Deployment" || kind === "StatefulSet");
}

/** How far the pods of these workloads are that replace those of an earlier revision; undefined while none do. */
export function rolloutOf(objects: readonly KubeObject[]): Rollout | undefined {
  const rolling = objects.filter(isRolling);
  const [first] = rolling;
  if (first === undefined) return undefined;
  const sum = (count: (workload: Deployment | StatefulSet) => number): number =>
    rolling.reduce((whole, workload) => whole + count(workload), 0);
  const name = rolling.length === 1 ? `${first.kind}/${first.metadata.name}` : `${rolling.length} workloads`;
  return {
    done: sum(({ status }) => status?.updatedReplicas ?? 0),
    total: sum(({ spec }) => spec.replicas ?? 1),
    what: `pods of ${name} updated`,
  };
}

/** Whether pods of an earlier revision are left, or not all are there that replace them. What is made for the first time replaces nothing. */
function isRolling(object: KubeObject): object is Deployment | StatefulSet {
  if (object.apiVersion !== "apps/v1" || isTerminating(object)) return false;
  if (object.kind === "Deployment") {
    const { spec, status } = object as Partial<Deployment>;
    const { replicas = 0, updatedReplicas = 0 } = status ?? {};
    return (
      spec !== undefined && updatedReplicas < Math.max(replicas, 0) && updatedReplicas < (spec.replicas ?? 1)
    );
  }
  if (object.kind !== "StatefulSet") return false;
  const { spec, status } = object as Partial<StatefulSet>;
  const { currentRevision, updateRevision, updatedReplicas = 0 } = status ?? {};
  const isReplaced = currentRevision !== undefined && currentRevision !== updateRevision;
  return spec !== undefined && isReplaced && updatedReplicas < (spec.replicas ?? 1);
}
