// What is reported of an owned object: its name, its health, and what keeps it.
import type { Child } from "../../meta/child.ts";
import type { KubeObject } from "../../meta/object.ts";
import type { Deployment, StatefulSet } from "./apps.ts";
import type { Job } from "./batch.ts";
import type { Pod } from "./core.ts";
import { isReady, jobFailureOf, podFailureOf } from "./readiness.ts";
import type { WorkloadCondition } from "./workload-condition.ts";
import { isRolledOut, readyPodsCount } from "./workload-status.ts";

/** The child that an object is of the owner with this uid. */
export function childOf(kind: string, object: KubeObject, owner: string): Child {
  const { name, namespace, finalizers = [], deletionTimestamp, ownerReferences = [] } = object.metadata;
  const state = deletionTimestamp === undefined ? describeState(object) : undefined;
  return {
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(state === undefined ? {} : { state }),
    finalizers,
    ...(deletionTimestamp === undefined ? {} : { deletingSince: deletionTimestamp }),
    blocksOwner: ownerReferences.some(
      ({ uid, blockOwnerDeletion }) => uid === owner && blockOwnerDeletion === true,
    ),
  };
}

interface ReportedStatus {
  readonly phase?: unknown;
  readonly conditions?: readonly WorkloadCondition[];
  readonly lifecycle?: { readonly state?: unknown };
}

/** How an object is, in a few words; undefined for one whose status says nothing. */
export function describeState(object: KubeObject & { readonly status?: ReportedStatus }): string | undefined {
  // Only its metadata is known.
  if (!("spec" in object) && !("status" in object)) return undefined;
  switch (`${object.apiVersion}/${object.kind}`) {
    case "apps/v1/Deployment":
    case "apps/v1/StatefulSet": {
      const workload = object as Deployment | StatefulSet;
      const { ready, missing } = readyPodsCount(workload);
      return `${ready} of ${ready + missing} ready${isRolledOut(workload) ? "" : ", rolling out"}`;
    }
    case "batch/v1/Job": {
      const failure = jobFailureOf(object as Job);
      if (failure !== undefined) return `failed: ${failure}`;
      return isReady(object) ? "complete" : "running";
    }
    case "v1/Pod":
      return podFailureOf(object as Pod) ?? textOf(object.status?.phase);
    default: {
      const { phase, conditions, lifecycle } = object.status ?? {};
      const state = textOf(lifecycle?.state) ?? textOf(phase);
      if (state !== undefined || !isListOfConditions(conditions)) return state;
      return isReady(object) ? "ready" : "not ready";
    }
  }
}

function isListOfConditions(value: unknown): boolean {
  const isOne = (each: unknown): boolean => typeof each === "object" && each !== null;
  return Array.isArray(value) && value.length > 0 && value.every(isOne);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
