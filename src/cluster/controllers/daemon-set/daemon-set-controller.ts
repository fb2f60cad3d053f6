// Keeps one pod of a daemon set on each node that it fits, and replaces them when the template changes.
import { isNotFound } from "../../../client/api-error.ts";
import { DaemonSet } from "../../../kinds/builtin/apps.ts";
import { Node, Pod } from "../../../kinds/builtin/core.ts";
import { keyOf, parseKey } from "../../../meta/object-key.ts";
import type { ManifestOf } from "../../../meta/object.ts";
import { untilAvailable } from "../../pods/pod-state.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer, type ReconcileOutcome } from "../controller-loop.ts";
import { candidatesOf, claim, claimantKeysOf, controllerReference, indexByController } from "../ownership.ts";
import { slowStart } from "../burst.ts";
import { podControl } from "../pod-control.ts";
import { namedAfter, podFromTemplate } from "../pod-template.ts";
import {
  byRevision,
  ControllerRevision,
  expiredRevisions,
  hashOf,
  presentRevision,
  revisionLabel,
} from "../template-revisions.ts";
import { writeStatus } from "../workload-status.ts";
import { planDaemonSet, type DaemonState } from "./daemon-plan.ts";
import { daemonStatus } from "./daemon-status.ts";
import { affinityTo, daemonTolerations } from "../node/node-fit.ts";

/** Default of `revisionHistoryLimit`. */
const defaultHistory = 10;

/**
 * The controller of daemon sets. RBAC: `get`, `list`, `watch`, `update` on daemon sets and their status; all on pods and controller
 * revisions; `list`, `watch` on nodes.
 */
export function daemonSetController(context: ControllerContext): ControllerDefinition {
  const { cache, client, clock, random } = context;
  const control = podControl(context, context.events.from("daemonset-controller"));
  const sets = cache.informer<DaemonSet>(DaemonSet);
  const pods = indexByController(cache.informer<Pod>(Pod));
  const revisions = indexByController(cache.informer<ControllerRevision>(ControllerRevision));
  const nodes = cache.informer<Node>(Node);
  const keyFor = ({ metadata }: DaemonSet): string => `${metadata.namespace}/${metadata.name}`;

  function podOn(set: DaemonSet, node: string, hash: string): ManifestOf<Pod> {
    const { name, namespace, generation = 1, annotations } = set.metadata;
    const owner = controllerReference(DaemonSet, set);
    const pod = podFromTemplate(set.spec.template, { namespace, ...namedAfter(name, random), owner });
    const labels = {
      ...pod.metadata.labels,
      [revisionLabel]: hash,
      "pod-template-generation":
        annotations?.["deprecated.daemonset.template.generation"] ?? String(generation),
    };
    const tolerations = [...(pod.spec.tolerations ?? []), ...daemonTolerations(pod.spec)];
    return {
      ...pod,
      metadata: { ...pod.metadata, labels },
      spec: { ...pod.spec, tolerations, affinity: affinityTo(node, pod.spec.affinity) },
    };
  }

  /** Makes and deletes pods; what went wrong first, and whether there was anything to do. */
  async function change(
    set: DaemonSet,
    state: DaemonState,
  ): Promise<{ readonly isChanged: boolean; readonly failed?: PromiseRejectedResult | undefined }> {
    const plan = planDaemonSet(state);
    const nodesLeft = [...plan.create];
    const notMade = await slowStart(nodesLeft.length, () =>
      control.create(set, podOn(set, nodesLeft.shift() ?? "", state.hash)),
    );
    const results = await Promise.allSettled(plan.delete.map((pod) => control.delete(set, pod)));
    const notDeleted = results.filter((result) => result.status === "rejected");
    const failed = notMade ?? notDeleted.find(({ reason }) => !isNotFound(reason));
    return { isChanged: plan.create.length + plan.delete.length > 0, failed };
  }

  async function reconcile(key: string): Promise<ReconcileOutcome | undefined> {
    const set = sets.lister.get(parseKey(key));
    if (set === undefined) return undefined;
    const owner = { type: DaemonSet, object: set, selector: set.spec.selector };
    const owned = await claim(context, owner, Pod, candidatesOf(pods, set));
    if (set.metadata.deletionTimestamp !== undefined) return undefined;
    const history = byRevision(await claim(context, owner, ControllerRevision, candidatesOf(revisions, set)));
    const collisionCount = set.status?.collisionCount ?? 0;
    const present = await presentRevision(client, DaemonSet, set, history);
    if (present === undefined) {
      const status = {
        currentNumberScheduled: 0,
        desiredNumberScheduled: 0,
        numberMisscheduled: 0,
        numberReady: 0,
      };
      await writeStatus(context, DaemonSet, set, {
        ...status,
        ...set.status,
        collisionCount: collisionCount + 1,
      });
      return undefined;
    }
    const now = clock.now();
    const state: DaemonState = { set, nodes: nodes.lister.list(), pods: owned, hash: hashOf(present), now };
    const { isChanged, failed } = await change(set, state);
    await writeStatus(context, DaemonSet, set, daemonStatus({ ...state, collisionCount }));
    if (failed !== undefined) throw failed.reason;
    if (!isChanged) {
      const used = new Set(
        owned.map((pod) => `${set.metadata.name}-${pod.metadata.labels?.[revisionLabel] ?? ""}`),
      );
      const live = new Set([...used, present.metadata.name]);
      const limit = set.spec.revisionHistoryLimit ?? defaultHistory;
      for (const { metadata } of expiredRevisions(history, live, limit)) {
        await client.delete(ControllerRevision, keyOf({ metadata }), {
          preconditions: { uid: metadata.uid },
        });
      }
    }
    const requeueAfter = untilAvailable(owned, set.spec.minReadySeconds ?? 0, now);
    return requeueAfter === undefined ? undefined : { requeueAfter };
  }

  return {
    name: "daemonset",
    sources: [
      fromInformer(sets, (set) => [keyFor(set)]),
      fromInformer(pods, (pod) => claimantKeysOf(pod, sets, ({ spec }) => spec.selector)),
      fromInformer(nodes, () => sets.lister.list().map(keyFor)),
      // Only so that they are synced and known.
      fromInformer(revisions, () => []),
    ],
    reconcile,
  };
}
