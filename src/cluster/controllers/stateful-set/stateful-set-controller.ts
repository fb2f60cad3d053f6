// Keeps the pods of a stateful set: named, in order, each with its claims, updated from the highest ordinal down.
import { StatefulSet } from "../../../kinds/builtin/apps.ts";
import { PersistentVolumeClaim, Pod } from "../../../kinds/builtin/core.ts";
import { keyOf, parseKey } from "../../../meta/object-key.ts";
import { untilAvailable } from "../../pods/pod-state.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer, type ReconcileOutcome } from "../controller-loop.ts";
import { candidatesOf, claim, claimantKeysOf, indexByController } from "../ownership.ts";
import { isSelectedBy } from "../../../kinds/selector-match.ts";
import { writeStatus } from "../workload-status.ts";
import { membersOf, ordinalOf } from "./set-identity.ts";
import { planSet, type SetPlan, type SetState } from "./set-plan.ts";
import { setPods } from "./set-pods.ts";
import {
  byRevision,
  ControllerRevision,
  expiredRevisions,
  presentRevision,
  revisionLabel,
} from "../template-revisions.ts";
import { setStatus } from "./set-status.ts";

/** Default of `revisionHistoryLimit`. */
const defaultHistory = 10;

/**
 * The controller of stateful sets. RBAC: `get`, `list`, `watch`, `update` on stateful sets and their status; all on pods
 * and controller revisions; `create`, `patch`, `delete`, `list`, `watch` on persistent volume claims.
 */
export function statefulSetController(context: ControllerContext): ControllerDefinition {
  const { cache, client, clock } = context;
  const sets = cache.informer<StatefulSet>(StatefulSet);
  const pods = indexByController(cache.informer<Pod>(Pod));
  const revisions = indexByController(cache.informer<ControllerRevision>(ControllerRevision));
  const claims = cache.informer<PersistentVolumeClaim>(PersistentVolumeClaim);
  const control = setPods(context, context.events.from("statefulset-controller"));

  /** Does what is planned, up to the first thing that fails; that is returned, for the status is to be written all the same. */
  async function carryOut(
    { set, pods: owned }: SetState,
    plan: SetPlan,
    revisionOf: (name: string) => ControllerRevision,
  ): Promise<PromiseRejectedResult | undefined> {
    const work = async (): Promise<void> => {
      for (const { ordinal, revision } of plan.create)
        await control.create(set, ordinal, revisionOf(revision));
      for (const pod of plan.delete) await control.delete(set, pod);
      if (set.metadata.deletionTimestamp === undefined) await control.mend(set, membersOf(set, owned));
    };
    const [result] = await Promise.allSettled([work()]);
    return result.status === "rejected" ? result : undefined;
  }

  async function reconcile(key: string): Promise<ReconcileOutcome | undefined> {
    const set = sets.lister.get(parseKey(key));
    if (set === undefined) return undefined;
    const owner = { type: StatefulSet, object: set, selector: set.spec.selector };
    const candidates = candidatesOf(pods, set).filter((pod) => ordinalOf(set, pod) !== undefined);
    const owned = await claim(context, owner, Pod, candidates);
    // Revisions that nobody controls any more are taken over, so that a set that is made again knows its pods.
    const selected = candidatesOf(revisions, set).filter(({ metadata: { labels = {} } }) =>
      isSelectedBy(set.spec.selector, labels),
    );
    const history = byRevision(await claim(context, owner, ControllerRevision, selected));
    let collisionCount = set.status?.collisionCount ?? 0;
    const present = await presentRevision(client, StatefulSet, set, history);
    if (present === undefined) {
      collisionCount += 1;
      await writeStatus(context, StatefulSet, set, { replicas: 0, ...set.status, collisionCount });
      return undefined;
    }
    const updateRevision = present.metadata.name;
    const all = [...history.filter((each) => each.metadata.name !== updateRevision), present];
    const known = all.find((each) => each.metadata.name === set.status?.currentRevision);
    const currentRevision = (known ?? present).metadata.name;
    const now = clock.now();
    const state: SetState = { set, pods: owned, currentRevision, updateRevision, now };
    const status = setStatus({ ...state, collisionCount });
    const plan = planSet(state);
    const failure = await carryOut(
      state,
      plan,
      (name) => all.find((each) => each.metadata.name === name) ?? present,
    );
    await writeStatus(context, StatefulSet, set, status);
    if (failure !== undefined) throw failure.reason;
    if (
      plan.create.length === 0 &&
      plan.delete.length === 0 &&
      set.metadata.deletionTimestamp === undefined
    ) {
      await control.dropClaims(set, owned);
      await control.ownClaims(set, owned);
      const labels = owned.map((pod) => pod.metadata.labels?.[revisionLabel] ?? "");
      const live = new Set([...labels, updateRevision, status.currentRevision ?? ""]);
      const limit = set.spec.revisionHistoryLimit ?? defaultHistory;
      for (const { metadata } of expiredRevisions(all, live, limit)) {
        await client.delete(ControllerRevision, keyOf({ metadata }), {
          preconditions: { uid: metadata.uid },
        });
      }
    }
    const requeueAfter = untilAvailable(owned, set.spec.minReadySeconds ?? 0, now);
    return requeueAfter === undefined ? undefined : { requeueAfter };
  }

  return {
    name: "statefulset",
    sources: [
      fromInformer(sets, (set) => [`${set.metadata.namespace}/${set.metadata.name}`]),
      fromInformer(pods, (pod) => claimantKeysOf(pod, sets, ({ spec }) => spec.selector)),
      // Only so that they are synced and known.
      fromInformer(revisions, () => []),
      fromInformer(claims, () => []),
    ],
    reconcile,
  };
}
