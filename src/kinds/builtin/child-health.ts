// How an owned object is, for the `Ready` of a kind without a lifecycle. The rules are those of readiness.ts, and kstatus' for
// what has failed for good and for objects of other operators.
import type { Health } from "../../meta/health.ts";
import type { KubeObject } from "../../meta/object.ts";
import type { Deployment } from "./apps.ts";
import type { Job } from "./batch.ts";
import { describeState } from "./child-of.ts";
import type { Pod } from "./core.ts";
import { isReady, jobFailureOf, podFailureOf } from "./readiness.ts";
import type { WorkloadCondition } from "./workload-condition.ts";
import { isTerminating } from "./workload-status.ts";

/**
 * The health of an object: ready by {@link isReady}; stalled when it has failed and nothing tries again (a failed Job, a pod
 * that has failed, a Deployment past its progress deadline, an object that says so itself by `Stalled`); else on its way.
 */
export function healthOfChild(object: KubeObject): Health {
  const failure = isTerminating(object) ? undefined : failureOf(object);
  if (failure !== undefined) {
    const finding = { reason: "Failed", message: failure };
    return { ready: { status: "False", ...finding }, stalled: finding };
  }
  const unsettled = unsettledOf(object);
  if (unsettled === undefined && isReady(object)) {
    return { ready: { status: "True", reason: "Ready", message: describeState(object) ?? "ready" } };
  }
  const finding = { reason: "NotReady", message: unsettled ?? describeState(object) ?? "not ready" };
  return { ready: { status: "False", ...finding }, reconciling: finding };
}

interface ReportedStatus {
  readonly observedGeneration?: unknown;
  readonly conditions?: unknown;
}

function failureOf(object: KubeObject): string | undefined {
  switch (`${object.apiVersion}/${object.kind}`) {
    case "batch/v1/Job": {
      const failure = jobFailureOf(object as Job);
      return failure === undefined ? undefined : `failed: ${failure}`;
    }
    case "v1/Pod":
      return (object as Pod).status?.phase === "Failed"
        ? `failed: ${podFailureOf(object as Pod) ?? "for an unknown reason"}`
        : undefined;
    case "apps/v1/Deployment": {
      const { conditions = [] } = (object as Deployment).status ?? {};
      const late = conditions.find(({ reason }) => reason === "ProgressDeadlineExceeded");
      return late === undefined ? undefined : (late.message ?? "the progress deadline is exceeded");
    }
    default: {
      const stalled = conditionOf(object, "Stalled");
      return stalled === undefined ? undefined : (stalled.message ?? stalled.reason ?? "stalled");
    }
  }
}

/** Why what the status says of an object does not count yet. */
function unsettledOf(object: KubeObject): string | undefined {
  if (isTerminating(object)) return "being deleted";
  const { observedGeneration } = statusOf(object);
  const { generation } = object.metadata;
  if (typeof observedGeneration === "number" && generation !== undefined && observedGeneration < generation) {
    return "its last change has not been observed yet";
  }
  const reconciling = conditionOf(object, "Reconciling");
  return reconciling === undefined ? undefined : (reconciling.message ?? "reconciling");
}

function conditionOf(object: KubeObject, type: string): WorkloadCondition | undefined {
  const { conditions } = statusOf(object);
  const list: readonly Partial<WorkloadCondition>[] = Array.isArray(conditions) ? conditions : [];
  return list.find((each): each is WorkloadCondition => each?.type === type && each.status === "True");
}

function statusOf(object: KubeObject & { readonly status?: unknown }): ReportedStatus {
  return typeof object.status === "object" && object.status !== null ? object.status : {};
}
