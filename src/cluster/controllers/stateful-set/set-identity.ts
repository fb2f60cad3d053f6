// What a pod of a stateful set is called, and what belongs to it: its ordinal, host name and claims. Pure.
import type { Pod, PodTemplate } from "../../../kinds/builtin/pod.ts";
import type { PersistentVolumeClaim } from "../../../kinds/builtin/persistent-volume-claim.ts";
import { StatefulSet } from "../../../kinds/builtin/stateful-set.ts";
import type { ManifestOf } from "../../../meta/object.ts";
import { controllerReference } from "../ownership.ts";
import { podFromTemplate } from "../pod-template.ts";
import { revisionLabel } from "./set-revisions.ts";

/** The name of the pod with an ordinal. */
function podName(set: StatefulSet, ordinal: number): string {
  return `${set.metadata.name}-${ordinal}`;
}

/** The ordinal in a pod's name; undefined when it is not one of the set's names. */
export function ordinalOf(set: StatefulSet, pod: Pod): number | undefined {
  const prefix = `${set.metadata.name}-`;
  const rest = pod.metadata.name.startsWith(prefix) ? pod.metadata.name.slice(prefix.length) : "";
  return /^\d+$/.test(rest) ? Number(rest) : undefined;
}

/** The pod of an ordinal, of a revision. */
export function setPod(
  set: StatefulSet,
  ordinal: number,
  revision: { readonly name: string; readonly template: PodTemplate },
): ManifestOf<Pod> {
  const name = podName(set, ordinal);
  const owner = controllerReference(StatefulSet, set);
  const pod = podFromTemplate(revision.template, { namespace: set.metadata.namespace, name, owner });
  const claims = (set.spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name);
  const volumes = [
    ...(pod.spec.volumes ?? []).filter((volume) => !claims.includes(volume.name)),
    ...claims.map((claim) => ({
      name: claim,
      persistentVolumeClaim: { claimName: claimName(set, claim, ordinal) },
    })),
  ];
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: {
        ...pod.metadata.labels,
        "statefulset.kubernetes.io/pod-name": name,
        "apps.kubernetes.io/pod-index": String(ordinal),
        [revisionLabel]: revision.name,
      },
    },
    spec: {
      ...pod.spec,
      hostname: name,
      ...(set.spec.serviceName === undefined ? {} : { subdomain: set.spec.serviceName }),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  };
}

/** The name of a claim of a pod. */
export function claimName(set: StatefulSet, template: string, ordinal: number): string {
  return `${template}-${podName(set, ordinal)}`;
}

/** The claims of the pod with an ordinal. They outlive pod and set unless the retention policy says otherwise. */
export function setClaims(set: StatefulSet, ordinal: number): readonly ManifestOf<PersistentVolumeClaim>[] {
  const { namespace } = set.metadata;
  const owned = set.spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === "Delete";
  return (set.spec.volumeClaimTemplates ?? []).map(({ metadata, spec }) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: claimName(set, metadata.name, ordinal),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...metadata.labels, ...set.spec.selector.matchLabels },
      ...(metadata.annotations === undefined ? {} : { annotations: metadata.annotations }),
      ...(owned
        ? {
            ownerReferences: [
              { ...controllerReference(StatefulSet, set), controller: false, blockOwnerDeletion: false },
            ],
          }
        : {}),
    },
    spec,
  }));
}
