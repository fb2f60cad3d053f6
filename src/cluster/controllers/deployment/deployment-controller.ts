// Rolls a deployment out through replica sets: one step of the plan per reconcile, then its status.
import { controllerOf } from "../../../meta/controller-reference.ts";
import { isAlreadyExists, isNamespaceTerminating, refusalOf } from "../../../client/api-error.ts";
import { Deployment, ReplicaSet } from "../../../kinds/builtin/apps.ts";
import { Pod } from "../../../kinds/builtin/core.ts";
import { keyOf, parseKey } from "../../../meta/object-key.ts";
import { isPodFinished } from "../../pods/pod-state.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer, type ReconcileOutcome } from "../controller-loop.ts";
import { candidatesOf, claim, claimantKeysOf, controllerKeyOf, indexByController } from "../ownership.ts";
import { writeStatus } from "../workload-status.ts";
import { boundsOf, planDeployment } from "./deployment-plan.ts";
import {
  annotationsFor,
  byAge,
  expiredSets,
  findNewSet,
  newSetManifest,
  nextRevision,
  revisionAnnotation,
  scaleAnnotations,
} from "./deployment-revisions.ts";
import { deploymentStatus, isComplete, refusedStatus, untilDeadline } from "./deployment-status.ts";

/** Default of `revisionHistoryLimit`. */
const defaultHistory = 10;

/** The controller of deployments. RBAC: `get`, `list`, `watch`, `update`, `patch` on deployments; all on replica sets. */
export function deploymentController(context: ControllerContext): ControllerDefinition {
  const { cache, client, clock } = context;
  const events = context.events.from("deployment-controller");
  const deployments = cache.informer<Deployment>(Deployment);
  const sets = indexByController(cache.informer<ReplicaSet>(ReplicaSet));
  const pods = indexByController(cache.informer<Pod>(Pod));

  /** A pod that is gone or has ended lets a Recreate deployment go on. */
  function deploymentsForPod(pod: Pod): readonly string[] {
    const owner = controllerOf(pod);
    if (owner?.kind !== ReplicaSet.kind) return [];
    const { namespace } = pod.metadata;
    const set = sets.lister.get({ namespace, name: owner.name });
    return set === undefined ? [] : controllerKeyOf(set, Deployment);
  }

  /** The new set of the plan; undefined when its name is taken by a set of another template. */
  async function createSet(
    deployment: Deployment,
    replicas: number,
    oldSets: readonly ReplicaSet[],
  ): Promise<ReplicaSet | undefined> {
    const { surge } = boundsOf(deployment);
    const manifest = newSetManifest(deployment, {
      replicas,
      revision: nextRevision(undefined, oldSets),
      surge,
    });
    try {
      const set = await client.create(ReplicaSet, manifest);
      if (replicas > 0) tellScaled(deployment, set, 0, replicas);
      return set;
    } catch (error) {
      if (!isAlreadyExists(error)) {
        if (!isNamespaceTerminating(error)) await tellRefused(deployment, manifest.metadata.name, error);
        throw error;
      }
      const taken = await client.get(ReplicaSet, keyOf(manifest));
      const ours = controllerOf(taken)?.uid === deployment.metadata.uid;
      return ours ? findNewSet(deployment, [taken]) : undefined;
    }
  }

  async function tellRefused(deployment: Deployment, set: string, error: unknown): Promise<void> {
    const message = `Failed to create new replica set "${set}": ${refusalOf(error)}`;
    events.record(deployment, { type: "Warning", reason: "ReplicaSetCreateError", message });
    await writeStatus(context, Deployment, deployment, refusedStatus(deployment, message, clock.now()));
  }

  function tellScaled(deployment: Deployment, set: ReplicaSet, from: number, to: number): void {
    const direction = to > from ? "up" : "down";
    const message = `Scaled ${direction} replica set ${set.metadata.name} from ${from} to ${to}`;
    events.record(deployment, { type: "Normal", reason: "ScalingReplicaSet", message });
  }

  async function resizeSet(deployment: Deployment, set: ReplicaSet, replicas: number): Promise<ReplicaSet> {
    const { uid, resourceVersion } = set.metadata;
    const annotations = scaleAnnotations(deployment, boundsOf(deployment).surge);
    const body = { metadata: { uid, resourceVersion, annotations }, spec: { replicas } };
    const resized = await client.patch(ReplicaSet, keyOf(set), { type: "merge", body });
    const before = set.spec.replicas ?? 1;
    if (before !== replicas) tellScaled(deployment, set, before, replicas);
    return resized;
  }

  /** Brings the annotations of the new set, and what else it takes over, up to date. */
  async function annotate(
    { spec }: Deployment,
    set: ReplicaSet,
    wanted: Readonly<Record<string, string>>,
  ): Promise<ReplicaSet> {
    const present = set.metadata.annotations ?? {};
    const minReadySeconds = spec.minReadySeconds ?? 0;
    const isCurrent = Object.entries(wanted).every(([name, value]) => present[name] === value);
    if (isCurrent && (set.spec.minReadySeconds ?? 0) === minReadySeconds) return set;
    const { uid, resourceVersion } = set.metadata;
    const body = { metadata: { uid, resourceVersion, annotations: wanted }, spec: { minReadySeconds } };
    return client.patch(ReplicaSet, keyOf(set), { type: "merge", body });
  }

  /** Whether pods of these sets still run, being deleted or not. */
  function hasPods(of: readonly ReplicaSet[]): boolean {
    return of.some((set) =>
      candidatesOf(pods, set).some(
        (pod) => controllerOf(pod)?.uid === set.metadata.uid && !isPodFinished(pod),
      ),
    );
  }

  async function reconcile(key: string): Promise<ReconcileOutcome | undefined> {
    const deployment = deployments.lister.get(parseKey(key));
    if (deployment === undefined) return undefined;
    const owner = { type: Deployment, object: deployment, selector: deployment.spec.selector };
    const owned = await claim(context, owner, ReplicaSet, candidatesOf(sets, deployment));
    let newSet = findNewSet(deployment, owned);
    let oldSets = byAge(owned).filter((set) => set !== newSet);
    let collisionCount = deployment.status?.collisionCount ?? 0;
    let created = false;
    let annotations: Readonly<Record<string, string>> = {};
    if (deployment.metadata.deletionTimestamp === undefined) {
      const oldPodsLeft = deployment.spec.strategy?.type === "Recreate" && hasPods(oldSets);
      const plan = planDeployment({ deployment, newSet, oldSets, oldPodsLeft });
      if (plan.create !== undefined) {
        newSet = await createSet(deployment, plan.create, oldSets);
        created = newSet !== undefined;
        if (!created) collisionCount += 1;
      }
      if (newSet !== undefined && deployment.spec.paused !== true) {
        const revision = nextRevision(newSet, oldSets);
        const { surge } = boundsOf(deployment);
        newSet = await annotate(deployment, newSet, annotationsFor(deployment, newSet, revision, surge));
        annotations = { [revisionAnnotation]: String(revision) };
      }
      for (const { name, replicas } of plan.resize) {
        const set = [newSet, ...oldSets].find((each) => each?.metadata.name === name);
        if (set === undefined) continue;
        const resized = await resizeSet(deployment, set, replicas);
        if (set === newSet) newSet = resized;
        else oldSets = oldSets.map((each) => (each === set ? resized : each));
      }
    }
    const now = clock.now();
    const maxUnavailable = boundsOf(deployment).unavailable;
    const status = deploymentStatus({
      deployment,
      newSet,
      oldSets,
      created,
      maxUnavailable,
      collisionCount,
      now,
    });
    await writeStatus(context, Deployment, deployment, status, annotations);
    if (deployment.spec.paused === true || isComplete(deployment, status)) {
      const limit = deployment.spec.revisionHistoryLimit ?? defaultHistory;
      for (const { metadata } of expiredSets(oldSets, limit)) {
        await client.delete(ReplicaSet, keyOf({ metadata }), { preconditions: { uid: metadata.uid } });
      }
    }
    const requeueAfter = untilDeadline(deployment, status, now);
    return requeueAfter === undefined ? undefined : { requeueAfter };
  }

  return {
    name: "deployment",
    sources: [
      fromInformer(deployments, (deployment) => [
        `${deployment.metadata.namespace}/${deployment.metadata.name}`,
      ]),
      fromInformer(sets, (set) => claimantKeysOf(set, deployments, ({ spec }) => spec.selector)),
      fromInformer(
        pods,
        deploymentsForPod,
        ({ type, object }) => type === "deleted" || isPodFinished(object),
      ),
    ],
    reconcile,
  };
}
