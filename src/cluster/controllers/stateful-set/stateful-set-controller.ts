// Keeps the pods of a stateful set: named, in order, each with its claims, updated from the highest ordinal down.
import { controllerOf } from "../../../meta/controller-reference.ts";
import { isAlreadyExists } from "../../../client/api-error.ts";
import { StatefulSet } from "../../../kinds/builtin/apps.ts";
import { PersistentVolumeClaim, Pod } from "../../../kinds/builtin/core.ts";
import { keyOf, parseKey } from "../../../meta/object-key.ts";
import { untilAvailable } from "../../pods/pod-state.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer, type ReconcileOutcome } from "../controller-loop.ts";
import { candidatesOf, claim, controllerKeyOf, indexByController } from "../ownership.ts";
import { isSelectedBy } from "../../../kinds/selector-match.ts";
import { writeStatus } from "../workload-status.ts";
import { claimName, ordinalOf, ownersOfClaim, setClaims, setPod, templateName } from "./set-identity.ts";
import { planSet, type SetState } from "./set-plan.ts";
import {
  byRevision,
  ControllerRevision,
  expiredRevisions,
  presentRevision,
  revisionLabel,
  withoutDirective,
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
  const events = context.events.from("statefulset-controller");
  const sets = cache.informer<StatefulSet>(StatefulSet);
  const pods = indexByController(cache.informer<Pod>(Pod));
  const revisions = indexByController(cache.informer<ControllerRevision>(ControllerRevision));
  const claims = cache.informer<PersistentVolumeClaim>(PersistentVolumeClaim);

  function setsFor(pod: Pod): readonly string[] {
    if (controllerOf(pod) !== undefined) return controllerKeyOf(pod, StatefulSet);
    const { namespace, labels = {} } = pod.metadata;
    if (Object.keys(labels).length === 0) return [];
    return sets.lister
      .list({ namespace })
      .filter((set) => isSelectedBy(set.spec.selector, labels))
      .map((set) => `${namespace}/${set.metadata.name}`);
  }

  async function createPod(set: StatefulSet, ordinal: number, revision: ControllerRevision): Promise<void> {
    for (const manifest of setClaims(set, ordinal)) {
      if (claims.lister.get(keyOf(manifest)) !== undefined) continue;
      try {
        await client.create(PersistentVolumeClaim, manifest);
        const pod = `${set.metadata.name}-${ordinal}`;
        const message = `Create Claim ${manifest.metadata.name} Pod ${pod} in StatefulSet ${set.metadata.name} success`;
        events.record(set, { type: "Normal", reason: "SuccessfulCreate", message });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    }
    const { template } = withoutDirective(revision).data.spec;
    const { metadata } = await client.create(
      Pod,
      setPod(set, ordinal, { name: revision.metadata.name, template }),
    );
    const message = `Create Pod ${metadata.name} in StatefulSet ${set.metadata.name} successful`;
    events.record(set, { type: "Normal", reason: "SuccessfulCreate", message });
  }

  /** Deletes the claims of ordinals that are no longer asked for, when the retention policy says so. */
  async function dropClaims(set: StatefulSet, owned: readonly Pod[]): Promise<void> {
    if (set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled !== "Delete") return;
    const { namespace } = set.metadata;
    const first = set.spec.ordinals?.start ?? 0;
    const wanted = (ordinal: number): boolean =>
      ordinal >= first && ordinal < first + (set.spec.replicas ?? 1);
    for (const template of set.spec.volumeClaimTemplates ?? []) {
      const prefix = claimName(set, templateName(template), 0).slice(0, -1);
      for (const { metadata } of claims.lister.list({ namespace })) {
        const rest = metadata.name.startsWith(prefix) ? metadata.name.slice(prefix.length) : "";
        if (!/^\d+$/.test(rest) || wanted(Number(rest)) || metadata.deletionTimestamp !== undefined) continue;
        if (owned.some((pod) => ordinalOf(set, pod) === Number(rest))) continue;
        await client.delete(PersistentVolumeClaim, keyOf({ metadata }), {
          preconditions: { uid: metadata.uid },
        });
      }
    }
  }

  /** Claims of pods that are there belong to the set while they are to go with it. */
  async function ownClaims(set: StatefulSet, owned: readonly Pod[]): Promise<void> {
    for (const pod of owned) {
      for (const { metadata } of setClaims(set, ordinalOf(set, pod) ?? 0)) {
        const present = claims.lister.get(keyOf({ metadata }));
        if (present === undefined || present.metadata.deletionTimestamp !== undefined) continue;
        const before = present.metadata.ownerReferences ?? [];
        const others = before.filter(({ uid }) => uid !== set.metadata.uid);
        const references = [...others, ...ownersOfClaim(set, others)];
        if (references.length === before.length) continue;
        const { uid, resourceVersion } = present.metadata;
        const ownerReferences = references.length === 0 ? null : references;
        const body = { metadata: { uid, resourceVersion, ownerReferences } };
        await client.patch(PersistentVolumeClaim, keyOf(present), { type: "merge", body });
      }
    }
  }

  async function reconcile(key: string): Promise<ReconcileOutcome | undefined> {
    const set = sets.lister.get(parseKey(key));
    if (set === undefined) return undefined;
    const { uid } = set.metadata;
    const owner = { type: StatefulSet, object: set, selector: set.spec.selector };
    const candidates = candidatesOf(pods, set).filter((pod) => ordinalOf(set, pod) !== undefined);
    const owned = await claim(context, owner, Pod, candidates);
    const history = byRevision(
      candidatesOf(revisions, set).filter((each) => controllerOf(each)?.uid === uid),
    );
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
    for (const { ordinal, revision } of plan.create) {
      const template = all.find((each) => each.metadata.name === revision) ?? present;
      await createPod(set, ordinal, template);
    }
    for (const pod of plan.delete) {
      await client.delete(Pod, keyOf(pod), { preconditions: { uid: pod.metadata.uid } });
      const message = `Delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`;
      events.record(set, { type: "Normal", reason: "SuccessfulDelete", message });
    }
    await writeStatus(context, StatefulSet, set, status);
    if (
      plan.create.length === 0 &&
      plan.delete.length === 0 &&
      set.metadata.deletionTimestamp === undefined
    ) {
      await dropClaims(set, owned);
      await ownClaims(set, owned);
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
      fromInformer(pods, setsFor),
      // Only so that they are synced and known.
      fromInformer(revisions, () => []),
      fromInformer(claims, () => []),
    ],
    reconcile,
  };
}
