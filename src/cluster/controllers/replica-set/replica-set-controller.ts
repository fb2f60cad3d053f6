// Keeps as many pods of a template as a ReplicaSet asks for.
import { controllerOf } from "../../../meta/controller-reference.ts";
import { isNamespaceTerminating, isNotFound, refusalOf } from "../../../client/api-error.ts";
import { ReplicaSet } from "../../../kinds/builtin/apps.ts";
import { Pod } from "../../../kinds/builtin/core.ts";
import { keyOf, parseKey } from "../../../meta/object-key.ts";
import { messageOf, OperatorError } from "../../../ports/operator-error.ts";
import { isPodActive, isPodFinished, isPodTerminating, untilAvailable } from "../../pods/pod-state.ts";
import { burst, slowStart } from "../burst.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer, type ReconcileOutcome } from "../controller-loop.ts";
import {
  candidatesOf,
  claim,
  controllerKeyOf,
  controllerReference,
  indexByController,
} from "../ownership.ts";
import { namedAfter, podFromTemplate } from "../pod-template.ts";
import { isSelectedBy } from "../../../kinds/selector-match.ts";
import { writeStatus } from "../workload-status.ts";
import { rankForDeletion } from "./pod-ranking.ts";
import { type ReplicaSetFacts, replicaSetStatus } from "./replica-set-status.ts";

/** The controller of replica sets. RBAC: `get`, `list`, `watch`, `update` on replica sets and their status; all on pods. */
export function replicaSetController(context: ControllerContext): ControllerDefinition {
  const { cache, client, clock, random } = context;
  const events = context.events.from("replicaset-controller");
  const sets = cache.informer<ReplicaSet>(ReplicaSet);
  const pods = indexByController(cache.informer<Pod>(Pod));

  /** Sets that a pod without controller may belong to. */
  function setsFor(pod: Pod): readonly string[] {
    if (controllerOf(pod) !== undefined) return controllerKeyOf(pod, ReplicaSet);
    const { namespace, labels = {} } = pod.metadata;
    if (Object.keys(labels).length === 0) return [];
    return sets.lister
      .list({ namespace })
      .filter((set) => isSelectedBy(set.spec.selector, labels))
      .map((set) => `${namespace}/${set.metadata.name}`);
  }

  async function createPods(set: ReplicaSet, count: number): Promise<ReplicaSetFacts["failure"]> {
    const owner = controllerReference(ReplicaSet, set);
    const { template } = set.spec;
    const { name, namespace } = set.metadata;
    if (template === undefined) return undefined;
    let failure: ReplicaSetFacts["failure"];
    const create = async (): Promise<void> => {
      const named = namedAfter(name, random);
      const pod = named.name;
      try {
        await client.create(Pod, podFromTemplate(template, { namespace, ...named, owner }));
      } catch (error) {
        // Every attempt has another name, and the reason is the same.
        const why = refusalOf(error).replaceAll(pod, `${name}-`);
        failure ??= { reason: "FailedCreate", message: why };
        if (!isNamespaceTerminating(error)) {
          events.record(set, { type: "Warning", reason: "FailedCreate", message: `Error creating: ${why}` });
        }
        throw error;
      }
      events.record(set, { type: "Normal", reason: "SuccessfulCreate", message: `Created pod: ${pod}` });
    };
    await slowStart(count, create);
    return failure;
  }

  async function deletePods(set: ReplicaSet, victims: readonly Pod[]): Promise<ReplicaSetFacts["failure"]> {
    const results = await Promise.allSettled(
      victims.map((pod) => client.delete(Pod, keyOf(pod), { preconditions: { uid: pod.metadata.uid } })),
    );
    for (const [index, result] of results.entries()) {
      const name = victims[index]?.metadata.name ?? "";
      if (result.status === "fulfilled")
        events.record(set, { type: "Normal", reason: "SuccessfulDelete", message: `Deleted pod: ${name}` });
      else if (!isNotFound(result.reason)) {
        const message = `Error deleting: ${refusalOf(result.reason)}`;
        events.record(set, { type: "Warning", reason: "FailedDelete", message });
      }
    }
    const failed = results.find((result) => result.status === "rejected");
    return failed && { reason: "FailedDelete", message: messageOf(failed.reason) };
  }

  async function reconcile(key: string): Promise<ReconcileOutcome | undefined> {
    const set = sets.lister.get(parseKey(key));
    if (set === undefined) return undefined;
    const owner = { type: ReplicaSet, object: set, selector: set.spec.selector };
    const candidates = candidatesOf(pods, set);
    const owned = await claim(context, owner, Pod, candidates.filter(isPodActive));
    const terminating = candidates.filter(
      (pod) => isPodTerminating(pod) && !isPodFinished(pod) && controllerOf(pod)?.uid === set.metadata.uid,
    ).length;
    const missing = (set.spec.replicas ?? 1) - owned.length;
    let failure: ReplicaSetFacts["failure"];
    if (set.metadata.deletionTimestamp === undefined) {
      if (missing > 0) failure = await createPods(set, missing);
      else if (missing < 0) {
        failure = await deletePods(set, rankForDeletion(owned).slice(0, Math.min(burst, -missing)));
      }
    }
    // The status shows the pods that are there now; those just made come with their own changes.
    const now = clock.now();
    await writeStatus(
      context,
      ReplicaSet,
      set,
      replicaSetStatus({ set, pods: owned, terminating, failure, now }),
    );
    if (failure !== undefined) {
      throw new OperatorError("PODS_NOT_SCALED", `replica set ${key}: ${failure.message}`, {
        remedy: "Read the message: the API server rejects the pods of this template.",
      });
    }
    const requeueAfter = untilAvailable(owned, set.spec.minReadySeconds ?? 0, now);
    return requeueAfter === undefined ? undefined : { requeueAfter };
  }

  return {
    name: "replicaset",
    sources: [
      fromInformer(sets, (set) => [`${set.metadata.namespace}/${set.metadata.name}`]),
      fromInformer(pods, setsFor),
    ],
    reconcile,
  };
}
