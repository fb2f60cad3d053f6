// Whether an object does its job yet: one function per kind, and isReady over all of them.
// A terminating object is never ready: its status still says what was true before.
import type { KubeObject } from "../../meta/object.ts";
import type { DaemonSet, Deployment, StatefulSet } from "./apps.ts";
import type { Job } from "./batch.ts";
import type { PersistentVolumeClaim, Pod, Service } from "./core.ts";
import type { EndpointSlice } from "./discovery.ts";
import { isConditionTrue, type WorkloadCondition } from "./workload-condition.ts";
import { isRolledOut, isTerminating } from "./workload-status.ts";

/** Whether the pod runs and passes its readiness probes. */
export function isPodReady(pod: Pod): boolean {
  return (
    !isTerminating(pod) && pod.status?.phase === "Running" && isConditionTrue(pod.status.conditions, "Ready")
  );
}

/** Why a container of the pod cannot start or keeps failing, or undefined when none is known. */
export function podFailureOf(pod: Pod): string | undefined {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  for (const { name, state, lastState } of statuses) {
    const { reason, message } = state?.waiting ?? {};
    if (reason !== undefined && /BackOff|Err|Invalid|Failed/.test(reason)) {
      const exit = lastState?.terminated?.exitCode;
      const detail = message ?? (exit === undefined ? "" : `last exit code ${exit}`);
      return `container ${name}: ${reason}${detail === "" ? "" : `: ${detail}`}`;
    }
    const code = state?.terminated?.exitCode ?? 0;
    if (code !== 0) return `container ${name}: exit code ${code}`;
  }
  return pod.status?.phase === "Failed" ? (pod.status.message ?? pod.status.reason ?? "failed") : undefined;
}

/**
 * Whether the service can be used: it has an address of its kind and, when its endpoint slices are given, at least one
 * ready endpoint.
 */
export function isServiceReady(service: Service, slices?: readonly EndpointSlice[]): boolean {
  if (isTerminating(service)) return false;
  const { type = "ClusterIP", clusterIP, externalName } = service.spec;
  const hasAddress =
    type === "ExternalName"
      ? externalName !== undefined
      : clusterIP !== undefined &&
        clusterIP !== "" &&
        (type !== "LoadBalancer" || (service.status?.loadBalancer?.ingress ?? []).length > 0);
  return hasAddress && (slices === undefined || readyEndpointsCount(slices) > 0);
}

/** Endpoints that take traffic. An endpoint that does not say is ready: https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/#ready */
export function readyEndpointsCount(slices: readonly EndpointSlice[]): number {
  return slices
    .filter((slice) => !isTerminating(slice))
    .flatMap((slice) => slice.endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false && conditions?.terminating !== true).length;
}

/** Whether the job has completed successfully. */
export function isJobComplete(job: Job): boolean {
  return !isTerminating(job) && isConditionTrue(job.status?.conditions, "Complete");
}

/** Why the job has failed for good, or undefined while it has not. */
export function jobFailureOf(job: Job): string | undefined {
  const failed = job.status?.conditions?.find(({ type, status }) => type === "Failed" && status === "True");
  return failed === undefined ? undefined : (failed.message ?? failed.reason ?? "failed");
}

/** Whether the claim has its volume. */
export function isClaimBound(claim: PersistentVolumeClaim): boolean {
  return !isTerminating(claim) && claim.status?.phase === "Bound";
}

/**
 * Whether an object of any kind is ready: workloads rolled out, pods ready, jobs complete, claims bound, services with an
 * address; another kind by its condition `Ready` (or `Available`, `Established`), and without one by its existence.
 */
export function isReady(object: KubeObject): boolean {
  if (isTerminating(object)) return false;
  switch (`${object.apiVersion}/${object.kind}`) {
    case "apps/v1/Deployment":
    case "apps/v1/StatefulSet":
    case "apps/v1/DaemonSet":
      return isRolledOut(object as Deployment | StatefulSet | DaemonSet);
    case "v1/Pod":
      return isPodReady(object as Pod);
    case "batch/v1/Job":
      return isJobComplete(object as Job);
    case "v1/PersistentVolumeClaim":
      return isClaimBound(object as PersistentVolumeClaim);
    case "v1/Service":
      return isServiceReady(object as Service);
    default:
      return isReadyByCondition(object);
  }
}

function isReadyByCondition(object: KubeObject & { readonly status?: unknown }): boolean {
  const { conditions } = (object.status ?? {}) as { conditions?: readonly WorkloadCondition[] };
  const telling = ["Ready", "Available", "Established"].find((type) =>
    conditions?.some((condition) => condition.type === type),
  );
  return telling === undefined || isConditionTrue(conditions, telling);
}
