// What a pod of a stateful set is called, and what belongs to it: its ordinal, host name and claims. Pure.
import { StatefulSet } from "../../../kinds/builtin/apps.ts";
import type { PersistentVolumeClaim, Pod } from "../../../kinds/builtin/core.ts";
import type { PodTemplateSpec } from "../../../kinds/builtin/parts.ts";
import type { ManifestOf, OwnerReference } from "../../../meta/object.ts";
import { isPodActive } from "../../pods/pod-state.ts";
import { controllerReference } from "../ownership.ts";
import { podFromTemplate } from "../pod-template.ts";
import { revisionLabel } from "../template-revisions.ts";

type VolumeClaimTemplate = NonNullable<StatefulSet["spec"]["volumeClaimTemplates"]>[number];

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

/** The label by which a pod is known to be the one of its name. */
export const podNameLabel = "statefulset.kubernetes.io/pod-name";

/** The labels that say which pod of the set it is. */
export function identityLabels(set: StatefulSet, ordinal: number): Readonly<Record<string, string>> {
  return { [podNameLabel]: podName(set, ordinal), "apps.kubernetes.io/pod-index": String(ordinal) };
}

/** The pods of a set that it is to have, and that neither end nor have ended, in their order. */
export function membersOf(set: StatefulSet, pods: readonly Pod[]): readonly Pod[] {
  const first = set.spec.ordinals?.start ?? 0;
  const end = first + (set.spec.replicas ?? 1);
  const place = (pod: Pod): number => ordinalOf(set, pod) ?? -1;
  return pods
    .filter((pod) => isPodActive(pod) && place(pod) >= first && place(pod) < end)
    .toSorted((a, b) => place(a) - place(b));
}

/** The pod of an ordinal, of a revision. */
export function setPod(
  set: StatefulSet,
  ordinal: number,
  revision: { readonly name: string; readonly template: PodTemplateSpec },
): ManifestOf<Pod> {
  const name = podName(set, ordinal);
  const owner = controllerReference(StatefulSet, set);
  const { namespace } = set.metadata;
  const generateName = `${set.metadata.name}-`;
  const pod = podFromTemplate(revision.template, { namespace, name, generateName, owner });
  const claims = (set.spec.volumeClaimTemplates ?? []).map(templateName);
  const volumes = [
    ...claims.map((claim) => ({
      name: claim,
      persistentVolumeClaim: { claimName: claimName(set, claim, ordinal) },
    })),
    ...(pod.spec.volumes ?? []).filter((volume) => !claims.includes(volume.name)),
  ];
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: {
        ...pod.metadata.labels,
        ...identityLabels(set, ordinal),
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

/** The name of a template of claims; the API server refuses one without. */
export function templateName({ metadata }: VolumeClaimTemplate): string {
  return metadata?.name ?? "";
}

/** The name of a claim of a pod. */
export function claimName(set: StatefulSet, template: string, ordinal: number): string {
  return `${template}-${podName(set, ordinal)}`;
}

/** The claims of the pod with an ordinal. They outlive pod and set unless the retention policy says otherwise. */
export function setClaims(set: StatefulSet, ordinal: number): readonly ManifestOf<PersistentVolumeClaim>[] {
  const { namespace } = set.metadata;
  return (set.spec.volumeClaimTemplates ?? []).map((template) => {
    const { labels, ownerReferences: given = [], ...metadata } = template.metadata ?? {};
    const owners = [...given, ...ownersOfClaim(set, given)];
    return {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        ...metadata,
        name: claimName(set, templateName(template), ordinal),
        ...(namespace === undefined ? {} : { namespace }),
        labels: { ...labels, ...set.spec.selector.matchLabels },
        ...(owners.length === 0 ? {} : { ownerReferences: owners }),
      },
      spec: template.spec,
    };
  });
}

/** The set itself, if its claims go with it; nobody where somebody else controls the claim already. */
export function ownersOfClaim(
  set: StatefulSet,
  others: readonly OwnerReference[],
): readonly OwnerReference[] {
  const goes = set.spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === "Delete";
  return goes && !others.some(({ controller }) => controller === true)
    ? [controllerReference(StatefulSet, set)]
    : [];
}
