// What a deployment does next: the replica set to make and the sizes to give. Pure; the controller carries it out.
import type { Deployment, ReplicaSet } from "../../../kinds/builtin/apps.ts";
import { wasScaled } from "./deployment-revisions.ts";
import {
  newSetSize,
  type ReplicaCount,
  type Resize,
  rolloutBounds,
  type RolloutBounds,
  scaleInProportion,
  shrinkOldSets,
} from "./rollout-arithmetic.ts";

/** What the plan is made of. */
export interface DeploymentState {
  readonly deployment: Deployment;
  readonly newSet: ReplicaSet | undefined;
  /** Oldest first. */
  readonly oldSets: readonly ReplicaSet[];
  /** Whether pods of old sets still exist, terminating ones included. */
  readonly oldPodsLeft: boolean;
}

/** The next step. */
export interface DeploymentPlan {
  /** The size with which the new replica set is to be made, if it is to be made. */
  readonly create: number | undefined;
  readonly resize: readonly Resize[];
}

/** The bounds of the deployment's strategy; without a rolling update no pod is above and all may be missing. */
export function boundsOf(deployment: Deployment): RolloutBounds {
  const replicas = deployment.spec.replicas ?? 1;
  return deployment.spec.strategy?.type === "Recreate"
    ? { surge: 0, unavailable: 0 }
    : rolloutBounds(replicas, deployment.spec.strategy?.rollingUpdate);
}

/** The next step of a deployment; empty when everything is as it should be. */
export function planDeployment(state: DeploymentState): DeploymentPlan {
  const { deployment, newSet, oldSets } = state;
  const all = newSet === undefined ? oldSets : [...oldSets, newSet];
  if (wasScaled(deployment, all)) return { create: undefined, resize: planScale(state) };
  if (deployment.spec.paused === true) return { create: undefined, resize: planPaused(state) };
  return deployment.spec.strategy?.type === "Recreate" ? planRecreate(state) : planRollingUpdate(state);
}

function planRecreate({ deployment, newSet, oldSets, oldPodsLeft }: DeploymentState): DeploymentPlan {
  const replicas = deployment.spec.replicas ?? 1;
  const running = oldSets.filter((set) => (set.spec.replicas ?? 0) > 0);
  if (running.length > 0) {
    return { create: undefined, resize: running.map((set) => ({ name: set.metadata.name, replicas: 0 })) };
  }
  // The last old pod must be gone before the first new one is made.
  if (oldPodsLeft) return { create: undefined, resize: [] };
  if (newSet === undefined) return { create: replicas, resize: [] };
  return { create: undefined, resize: resizeTo(newSet, replicas) };
}

function planRollingUpdate({ deployment, newSet, oldSets }: DeploymentState): DeploymentPlan {
  const replicas = deployment.spec.replicas ?? 1;
  const bounds = boundsOf(deployment);
  const old = oldSets.map(countOf);
  if (newSet === undefined) {
    const none = { name: "", wanted: 0, available: 0 };
    return { create: newSetSize(replicas, bounds, none, old), resize: [] };
  }
  const size = newSetSize(replicas, bounds, countOf(newSet), old);
  const grown = resizeTo(newSet, size);
  // One step at a time: the old ones shrink when the new ones are seen to be there.
  if (grown.length > 0) return { create: undefined, resize: grown };
  return { create: undefined, resize: shrinkOldSets(replicas, bounds, countOf(newSet), old) };
}

/** A paused deployment makes no new set, and follows its size as long as there is only one set to size. */
function planPaused({ deployment, newSet, oldSets }: DeploymentState): readonly Resize[] {
  const active = activeSets(newSet, oldSets);
  const [only, ...others] = active.length === 0 && newSet !== undefined ? [newSet] : active;
  return only === undefined || others.length > 0 ? [] : resizeTo(only, deployment.spec.replicas ?? 1);
}

/**
 * Sizes after the deployment was scaled: each active set keeps its share. Sets whose size stays are named too, because
 * the size that their annotations speak of has changed.
 */
function planScale({ deployment, newSet, oldSets }: DeploymentState): readonly Resize[] {
  const replicas = deployment.spec.replicas ?? 1;
  const active = activeSets(newSet, oldSets);
  const keep = active.map(({ metadata, spec }) => ({ name: metadata.name, replicas: spec.replicas ?? 0 }));
  const [first, ...others] = active;
  if (first === undefined) return [];
  if (others.length === 0) return [{ name: first.metadata.name, replicas }];
  // The new set is complete: what is left of the old ones goes.
  if (
    newSet !== undefined &&
    newSet.spec.replicas === replicas &&
    newSet.status?.availableReplicas === replicas
  ) {
    return keep.map((each) => (each.name === newSet.metadata.name ? each : { ...each, replicas: 0 }));
  }
  if (deployment.spec.strategy?.type === "Recreate") return keep;
  const target = replicas === 0 ? 0 : replicas + boundsOf(deployment).surge;
  return scaleInProportion(target, active.map(countOf));
}

function activeSets(newSet: ReplicaSet | undefined, oldSets: readonly ReplicaSet[]): readonly ReplicaSet[] {
  const all = newSet === undefined ? oldSets : [...oldSets, newSet];
  return all.filter((set) => (set.spec.replicas ?? 0) > 0);
}

function countOf({ metadata, spec, status }: ReplicaSet): ReplicaCount {
  return { name: metadata.name, wanted: spec.replicas ?? 0, available: status?.availableReplicas ?? 0 };
}

function resizeTo({ metadata, spec }: ReplicaSet, replicas: number): readonly Resize[] {
  return spec.replicas === replicas ? [] : [{ name: metadata.name, replicas }];
}
