// Keeps as many pods of a template as a ReplicaSet asks for, or a ReplicationController, its forerunner.
import { controllerOf } from "../../../meta/controller-reference.ts";
import { isNotFound } from "../../../client/api-error.ts";
import { ReplicaSet } from "../../../kinds/builtin/apps.ts";
import { Pod, ReplicationController } from "../../../kinds/builtin/core.ts";
import type { KubeObject } from "../../../meta/object.ts";
import type { ResourceType } from "../../../meta/resource-type.ts";
import { parseKey } from "../../../meta/object-key.ts";
import { messageOf, OperatorError } from "../../../ports/operator-error.ts";
import { isPodActive, isPodFinished, isPodTerminating, untilAvailable } from "../../pods/pod-state.ts";
import { burst, slowStart } from "../burst.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer, type ReconcileOutcome } from "../controller-loop.ts";
import {
  candidatesOf,
  claim,
  controlledBy,
  claimantKeysOf,
  controllerReference,
  indexByController,
} from "../ownership.ts";
import { podControl, refusalOfPod } from "../pod-control.ts";
import { namedAfter, podFromTemplate } from "../pod-template.ts";
import { writeStatus } from "../workload-status.ts";
import { rankForDeletion } from "./pod-ranking.ts";
import { type ReplicaSetFacts, replicaSetStatus, type ReplicasSpec } from "./replica-set-status.ts";

interface Replicated extends KubeObject {
  readonly status?: NonNullable<ReplicaSet["status"]>;
}

/** A kind that keeps replicas of a pod. */
interface ReplicasKind<T extends Replicated> {
  readonly type: ResourceType<T>;
  readonly name: string;
  /** Who its Events are of. */
  readonly component: string;
  /** What an object asks for. */
  readonly replicasOf: (object: T) => ReplicasSpec;
  /** Its status, of that of a replica set. */
  statusOf(status: NonNullable<ReplicaSet["status"]>): NonNullable<T["status"]>;
}

/** The controller of replica sets. RBAC: `get`, `list`, `watch`, `update` on replica sets and their status; all on pods. */
export function replicaSetController(context: ControllerContext): ControllerDefinition {
  return replicasController<ReplicaSet>(context, {
    type: ReplicaSet,
    name: "replicaset",
    component: "replicaset-controller",
    replicasOf: ({ spec }) => spec,
    statusOf: (status) => status,
  });
}

/** The controller of replication controllers. RBAC: as {@link replicaSetController}, on replication controllers. */
export function replicationController(context: ControllerContext): ControllerDefinition {
  return replicasController<ReplicationController>(context, {
    type: ReplicationController,
    name: "replicationcontroller",
    component: "replication-controller",
    replicasOf: ({ spec: { selector = {}, ...spec } }) => ({ ...spec, selector: { matchLabels: selector } }),
    statusOf(status) {
      const { terminatingReplicas: _, ...shown } = status;
      return shown;
    },
  });
}

function replicasController<T extends Replicated>(
  context: ControllerContext,
  kind: ReplicasKind<T>,
): ControllerDefinition {
  const { cache, clock, random } = context;
  const { type, replicasOf } = kind;
  const control = podControl(context, context.events.from(kind.component));
  const sets = indexByController(cache.informer<T>(type));
  const pods = indexByController(cache.informer<Pod>(Pod));

  async function createPods(set: T, count: number): Promise<ReplicaSetFacts["failure"]> {
    const owner = controllerReference(type, set);
    const { template } = replicasOf(set);
    const { name, namespace = "" } = set.metadata;
    if (template === undefined) return undefined;
    let failure: ReplicaSetFacts["failure"];
    await slowStart(count, async () => {
      const pod = podFromTemplate(template, { namespace, ...namedAfter(name, random), owner });
      try {
        await control.create(set, pod);
      } catch (error) {
        failure ??= { reason: "FailedCreate", message: refusalOfPod(error, pod) };
        throw error;
      }
    });
    return failure;
  }

  async function deletePods(set: T, victims: readonly Pod[]): Promise<ReplicaSetFacts["failure"]> {
    const results = await Promise.allSettled(victims.map((pod) => control.delete(set, pod)));
    // One that is gone is what was asked for.
    const failed = results.find((result) => result.status === "rejected" && !isNotFound(result.reason));
    return failed?.status === "rejected"
      ? { reason: "FailedDelete", message: messageOf(failed.reason) }
      : undefined;
  }

  /** The active pods of the other sets of whoever controls a set: those of a deployment are spread as one. */
  function podsOfSiblings(set: T): readonly Pod[] {
    const above = controllerOf(set)?.uid;
    if (above === undefined) return [];
    return controlledBy(sets, above)
      .filter(({ metadata }) => metadata.uid !== set.metadata.uid)
      .flatMap((each) => controlledBy(pods, each.metadata.uid))
      .filter(isPodActive);
  }

  async function reconcile(key: string): Promise<ReconcileOutcome | undefined> {
    const set = sets.lister.get(parseKey(key));
    if (set === undefined) return undefined;
    const spec = replicasOf(set);
    const owner = { type, object: set, selector: spec.selector };
    const candidates = candidatesOf(pods, set);
    const owned = await claim(context, owner, Pod, candidates.filter(isPodActive));
    const terminating = candidates.filter(
      (pod) => isPodTerminating(pod) && !isPodFinished(pod) && controllerOf(pod)?.uid === set.metadata.uid,
    ).length;
    const missing = (spec.replicas ?? 1) - owned.length;
    let failure: ReplicaSetFacts["failure"];
    if (set.metadata.deletionTimestamp === undefined) {
      if (missing > 0) failure = await createPods(set, missing);
      else if (missing < 0) {
        // Where all of them go, none goes first.
        const isAll = -missing === owned.length;
        const ranked = isAll ? owned : rankForDeletion(owned, [...owned, ...podsOfSiblings(set)]);
        failure = await deletePods(set, ranked.slice(0, Math.min(burst, -missing)));
      }
    }
    // The status shows the pods that are there now; those just made come with their own changes.
    const now = clock.now();
    const { generation = 0 } = set.metadata;
    const facts = { spec, generation, status: set.status, pods: owned, terminating, failure, now };
    await writeStatus(context, type, set, kind.statusOf(replicaSetStatus(facts)));
    if (failure !== undefined) {
      throw new OperatorError("PODS_NOT_SCALED", `${kind.name} ${key}: ${failure.message}`, {
        remedy: "Read the message: the API server rejects the pods of this template.",
      });
    }
    const requeueAfter = untilAvailable(owned, spec.minReadySeconds ?? 0, now);
    return requeueAfter === undefined ? undefined : { requeueAfter };
  }

  return {
    name: kind.name,
    sources: [
      fromInformer(sets, (set) => [`${set.metadata.namespace}/${set.metadata.name}`]),
      fromInformer(pods, (pod) => claimantKeysOf(pod, sets, (set) => replicasOf(set).selector)),
    ],
    reconcile,
  };
}
