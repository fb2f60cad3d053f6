// What a stateful set's plan comes to: pods made with their claims, pods deleted, and what was altered on either set right again; with the
// Events that tell of it.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/pkg/controller/statefulset/stateful_pod_control.go
import { isAlreadyExists, isNotFound, refusalOf } from "../../../client/api-error.ts";
import type { StatefulSet } from "../../../kinds/builtin/apps.ts";
import { PersistentVolumeClaim, Pod } from "../../../kinds/builtin/core.ts";
import { keyOf } from "../../../meta/object-key.ts";
import { OperatorError } from "../../../ports/operator-error.ts";
import type { ControllerContext } from "../controller-context.ts";
import type { EventSink } from "../controller-events.ts";
import { withoutDirective, type ControllerRevision } from "../template-revisions.ts";
import {
  claimName,
  identityLabels,
  ordinalOf,
  ownersOfClaim,
  podNameLabel,
  setClaims,
  setPod,
  templateName,
} from "./set-identity.ts";

/** Pods and claims of stateful sets. Each rejects with what the API server says, after it was reported. */
export interface SetPods {
  /** Makes a pod and its claims. */
  create(set: StatefulSet, ordinal: number, revision: ControllerRevision): Promise<void>;
  /** Deletes a pod, if it is still the same. */
  delete(set: StatefulSet, pod: Pod): Promise<void>;
  /** Makes the claims that pods wait for, and gives pods the labels back by which they are known. */
  mend(set: StatefulSet, pods: readonly Pod[]): Promise<void>;
  /** Claims of pods that are there belong to the set while they are to go with it. */
  ownClaims(set: StatefulSet, pods: readonly Pod[]): Promise<void>;
  /** Deletes the claims of ordinals that are no longer asked for, when the retention policy says so. */
  dropClaims(set: StatefulSet, pods: readonly Pod[]): Promise<void>;
}

/** Carries out what stateful sets want. */
export function setPods(
  { client, cache }: Pick<ControllerContext, "client" | "cache">,
  events: EventSink,
): SetPods {
  const claims = cache.informer<PersistentVolumeClaim>(PersistentVolumeClaim);

  /** Does something to a pod, and reports whether it was done. */
  async function reported(
    set: StatefulSet,
    verb: "Create" | "Update" | "Delete",
    pod: string,
    act: () => Promise<unknown>,
  ): Promise<void> {
    const said = `${verb} Pod ${pod} in StatefulSet ${set.metadata.name}`;
    try {
      await act();
    } catch (error) {
      // Kubernetes says nothing of a pod that is there already, or gone.
      if (!isAlreadyExists(error) && !isNotFound(error)) {
        events.record(set, {
          type: "Warning",
          reason: `Failed${verb}`,
          message: `${said} failed error: ${refusalOf(error)}`,
        });
      }
      throw error;
    }
    events.record(set, { type: "Normal", reason: `Successful${verb}`, message: `${said} successful` });
  }

  async function createClaims(set: StatefulSet, ordinal: number): Promise<void> {
    const pod = `${set.metadata.name}-${ordinal}`;
    for (const manifest of setClaims(set, ordinal)) {
      const { name } = manifest.metadata;
      const present = claims.lister.get(keyOf(manifest));
      if (present?.metadata.deletionTimestamp !== undefined) {
        throw new OperatorError("PODS_NOT_SCALED", `pvc ${name} is being deleted`, {
          remedy: "Wait until the claim is gone; a finalizer or a pod that uses it may hold it.",
        });
      }
      if (present !== undefined) continue;
      try {
        await client.create(PersistentVolumeClaim, manifest);
      } catch (error) {
        if (isAlreadyExists(error)) continue;
        const why = refusalOf(error);
        const message = `Create Claim ${name} for Pod ${pod} in StatefulSet ${set.metadata.name} failed error: ${why}`;
        events.record(set, { type: "Warning", reason: "FailedCreate", message });
        throw new OperatorError("PODS_NOT_SCALED", `failed to create PVC ${name}: ${why}`, {
          remedy: "Read the message: the API server rejects the claims of this template.",
        });
      }
      const message = `Create Claim ${name} Pod ${pod} in StatefulSet ${set.metadata.name} success`;
      events.record(set, { type: "Normal", reason: "SuccessfulCreate", message });
    }
  }

  async function ownClaimsOf(set: StatefulSet, pod: Pod): Promise<boolean> {
    let changed = false;
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
      changed = true;
    }
    return changed;
  }

  return {
    create(set, ordinal, revision) {
      const { template } = withoutDirective(revision).data.spec;
      return reported(set, "Create", `${set.metadata.name}-${ordinal}`, async () => {
        await createClaims(set, ordinal);
        await client.create(Pod, setPod(set, ordinal, { name: revision.metadata.name, template }));
      });
    },
    delete: (set, pod) =>
      reported(set, "Delete", pod.metadata.name, () =>
        client.delete(Pod, keyOf(pod), { preconditions: { uid: pod.metadata.uid } }),
      ),
    async mend(set, pods) {
      for (const pod of pods) {
        const ordinal = ordinalOf(set, pod) ?? 0;
        if (pod.status?.phase === "Pending") await createClaims(set, ordinal);
        const labels = identityLabels(set, ordinal);
        const { name, uid, resourceVersion } = pod.metadata;
        if (pod.metadata.labels?.[podNameLabel] === name) continue;
        const body = { metadata: { uid, resourceVersion, labels } };
        await reported(set, "Update", name, () => client.patch(Pod, keyOf(pod), { type: "merge", body }));
      }
    },
    async ownClaims(set, pods) {
      for (const pod of pods) {
        if (!(await ownClaimsOf(set, pod))) continue;
        // As in Kubernetes, where the pod is updated with its claims, and is not changed by it.
        const message = `Update Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`;
        events.record(set, { type: "Normal", reason: "SuccessfulUpdate", message });
      }
    },
    async dropClaims(set, pods) {
      if (set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled !== "Delete") return;
      const { namespace } = set.metadata;
      const first = set.spec.ordinals?.start ?? 0;
      const wanted = (ordinal: number): boolean =>
        ordinal >= first && ordinal < first + (set.spec.replicas ?? 1);
      for (const template of set.spec.volumeClaimTemplates ?? []) {
        const prefix = claimName(set, templateName(template), 0).slice(0, -1);
        for (const { metadata } of claims.lister.list({ namespace })) {
          const rest = metadata.name.startsWith(prefix) ? metadata.name.slice(prefix.length) : "";
          if (!/^\d+$/.test(rest) || wanted(Number(rest)) || metadata.deletionTimestamp !== undefined)
            continue;
          if (pods.some((pod) => ordinalOf(set, pod) === Number(rest))) continue;
          await client.delete(PersistentVolumeClaim, keyOf({ metadata }), {
            preconditions: { uid: metadata.uid },
          });
        }
      }
    },
  };
}
