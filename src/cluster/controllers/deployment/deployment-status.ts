// The status of a deployment, computed from its replica sets: counts, and the conditions Available and Progressing. Pure.
import type { Deployment, ReplicaSet } from "../../../kinds/builtin/apps.ts";
import type { WorkloadCondition } from "../../../kinds/builtin/workload-condition.ts";
import { withoutZeros, withWorkloadCondition } from "../workload-status.ts";

/** What the status is computed from. */
export interface DeploymentFacts {
  readonly deployment: Deployment;
  readonly newSet: ReplicaSet | undefined;
  readonly oldSets: readonly ReplicaSet[];
  /** Whether the new replica set was made in this very reconcile. */
  readonly created: boolean;
  /** How many pods may be missing before the deployment counts as unavailable. */
  readonly maxUnavailable: number;
  readonly collisionCount: number;
  readonly now: number;
}

/** Default of `progressDeadlineSeconds`. */
const defaultDeadline = 600;

/** The `progressDeadlineSeconds` that stand for no deadline: then nothing is said of progress. */
const noDeadline = 2_147_483_647;

/** The status, without counts of zero. */
export function deploymentStatus(facts: DeploymentFacts): NonNullable<Deployment["status"]> {
  const { deployment, newSet, oldSets, collisionCount } = facts;
  const all = newSet === undefined ? oldSets : [...oldSets, newSet];
  const count = (field: "replicas" | "readyReplicas" | "availableReplicas"): number =>
    all.reduce((total, set) => total + (set.status?.[field] ?? 0), 0);
  const wanted = all.reduce((total, set) => total + (set.spec.replicas ?? 0), 0);
  const available = count("availableReplicas");
  const counts = {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: count("replicas"),
    updatedReplicas: newSet?.status?.replicas ?? 0,
    readyReplicas: count("readyReplicas"),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, wanted - available),
    collisionCount,
  };
  return {
    ...withoutZeros({ ...counts, conditions: conditionsOf(facts, counts) }),
    ...terminatingIn(all),
  };
}

/** The status of a deployment whose new replica set is refused: as it was, but for the condition that tells. */
export function refusedStatus(
  deployment: Deployment,
  message: string,
  now: number,
): NonNullable<Deployment["status"]> {
  const { status = {} } = deployment;
  if (!hasDeadline(deployment)) return status;
  const condition = {
    type: "Progressing",
    status: "False",
    reason: "ReplicaSetCreateError",
    message,
  } as const;
  const conditions = withWorkloadCondition(status.conditions ?? [], condition, now, { updateTime: true });
  return { ...status, conditions };
}

/** How many pods are on their way out: not known until each replica set has said so. */
function terminatingIn(
  sets: readonly ReplicaSet[],
): Pick<NonNullable<Deployment["status"]>, "terminatingReplicas"> {
  const counts = sets.map(({ status }) => status?.terminatingReplicas);
  if (counts.includes(undefined)) return {};
  return { terminatingReplicas: counts.reduce<number>((sum, count = 0) => sum + count, 0) };
}

/** Milliseconds until the progress deadline; undefined when there is nothing to wait for. */
export function untilDeadline(
  deployment: Deployment,
  status: NonNullable<Deployment["status"]>,
  now: number,
): number | undefined {
  const progressing = status.conditions?.find((each) => each.type === "Progressing");
  if (progressing?.status !== "True" || progressing.reason === "NewReplicaSetAvailable") return undefined;
  if (deployment.spec.paused === true || !hasDeadline(deployment)) return undefined;
  const wait = Date.parse(progressing.lastUpdateTime ?? "") + deadlineOf(deployment) - now;
  // A second later, as timestamps have whole seconds.
  return Number.isFinite(wait) ? Math.max(0, wait) + 1_000 : undefined;
}

/** Whether every pod is of the present template and available, and none is left of another. */
export function isComplete(deployment: Deployment, status: NonNullable<Deployment["status"]>): boolean {
  const replicas = deployment.spec.replicas ?? 1;
  return (
    (status.updatedReplicas ?? 0) === replicas &&
    (status.replicas ?? 0) === replicas &&
    (status.availableReplicas ?? 0) === replicas &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function hasDeadline({ spec }: Deployment): boolean {
  return spec.progressDeadlineSeconds !== noDeadline;
}

function deadlineOf({ spec }: Deployment): number {
  return (spec.progressDeadlineSeconds ?? defaultDeadline) * 1000;
}

function conditionsOf(
  facts: DeploymentFacts,
  counts: NonNullable<Deployment["status"]>,
): readonly WorkloadCondition[] {
  const { deployment, maxUnavailable, now } = facts;
  const minimum = (deployment.spec.replicas ?? 1) - maxUnavailable;
  const isAvailable = (counts.availableReplicas ?? 0) >= minimum;
  const set = (
    conditions: readonly WorkloadCondition[],
    next: Parameters<typeof withWorkloadCondition>[1],
  ): readonly WorkloadCondition[] => withWorkloadCondition(conditions, next, now, { updateTime: true });
  // In Kubernetes' order, which is that of the list: whatever changes goes to its end.
  const available = set(announced(facts), {
    type: "Available",
    status: isAvailable ? "True" : "False",
    reason: isAvailable ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
    message: `Deployment ${isAvailable ? "has" : "does not have"} minimum availability.`,
  });
  const conditions = hasDeadline(deployment)
    ? progressOf(facts, counts, available)
    : available.filter((each) => each.type !== "Progressing");
  const failure = [facts.newSet, ...facts.oldSets]
    .flatMap((each) => each?.status?.conditions ?? [])
    .find((each) => each.type === "ReplicaFailure" && each.status === "True");
  if (failure === undefined) return conditions.filter((each) => each.type !== "ReplicaFailure");
  const { reason = "FailedCreate", message = "" } = failure;
  return set(conditions, { type: "ReplicaFailure", status: "True", reason, message });
}

/** The present conditions, and in Progressing what happened to the deployment itself or to its new replica set. */
function announced(facts: DeploymentFacts): readonly WorkloadCondition[] {
  const { deployment, newSet, created, now } = facts;
  const before = deployment.status?.conditions ?? [];
  const current = before.find((each) => each.type === "Progressing");
  const set = (status: "True" | "Unknown", reason: string, message: string): readonly WorkloadCondition[] =>
    withWorkloadCondition(before, { type: "Progressing", status, reason, message }, now, {
      updateTime: true,
    });
  if (deployment.spec.paused === true) return set("Unknown", "DeploymentPaused", "Deployment is paused");
  if (created)
    return set("True", "NewReplicaSetCreated", `Created new replica set "${newSet?.metadata.name}"`);
  if (current?.reason === "DeploymentPaused")
    return set("Unknown", "DeploymentResumed", "Deployment is resumed");
  return current === undefined && newSet !== undefined
    ? set("True", "FoundNewReplicaSet", `Found new replica set "${newSet.metadata.name}"`)
    : before;
}

/** The conditions with Progressing brought up to date with the counts. */
function progressOf(
  facts: DeploymentFacts,
  counts: NonNullable<Deployment["status"]>,
  before: readonly WorkloadCondition[],
): readonly WorkloadCondition[] {
  const { deployment, newSet, created, now } = facts;
  const current = before.find((each) => each.type === "Progressing");
  const wasPaused =
    deployment.status?.conditions?.some((each) => each.reason === "DeploymentPaused") ?? false;
  // What was announced just now is shown first.
  if (deployment.spec.paused === true || created || wasPaused) return before;
  const set = (
    status: "True" | "False" | "Unknown",
    reason: string,
    message: string,
  ): readonly WorkloadCondition[] =>
    withWorkloadCondition(before, { type: "Progressing", status, reason, message }, now, {
      updateTime: true,
    });
  const subject =
    newSet === undefined
      ? `Deployment "${deployment.metadata.name}"`
      : `ReplicaSet "${newSet.metadata.name}"`;
  // Once complete, a pod that fails later is no new rollout.
  const settled =
    (counts.replicas ?? 0) === (counts.updatedReplicas ?? 0) && current?.reason === "NewReplicaSetAvailable";
  if (settled) return before;
  if (isComplete(deployment, counts)) {
    return set("True", "NewReplicaSetAvailable", `${subject} has successfully progressed.`);
  }
  if (hasMoved(deployment.status ?? {}, counts)) {
    const others = before.filter((each) => each !== current);
    const fresh = { type: "Progressing", status: "True", reason: "ReplicaSetUpdated" } as const;
    const moved = withWorkloadCondition(others, { ...fresh, message: `${subject} is progressing.` }, now, {
      updateTime: true,
    });
    // Each step renews the deadline; the transition time stays as long as it goes on.
    return moved.map((each) =>
      each.type === "Progressing" && current?.status === "True" && current.lastTransitionTime !== undefined
        ? { ...each, lastTransitionTime: current.lastTransitionTime }
        : each,
    );
  }
  if (current === undefined) return before;
  const late = now > Date.parse(current.lastUpdateTime ?? "") + deadlineOf(deployment);
  return late && current.reason !== "NewReplicaSetAvailable"
    ? set("False", "ProgressDeadlineExceeded", `${subject} has timed out progressing.`)
    : before;
}

function hasMoved(
  before: NonNullable<Deployment["status"]>,
  now: NonNullable<Deployment["status"]>,
): boolean {
  const old = (status: NonNullable<Deployment["status"]>): number =>
    (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  return (
    (now.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(now) < old(before) ||
    (now.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (now.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}
