// The replica sets of a deployment as its revisions: which one is the new one, their numbers, and the history. Pure.
import { equal } from "../../../schema/json-value.ts";
import { Deployment, ReplicaSet } from "../../../kinds/builtin/apps.ts";
import type { PodTemplateSpec } from "../../../kinds/builtin/parts.ts";
import type { ManifestOf } from "../../../meta/object.ts";
import { controllerReference } from "../ownership.ts";
import { templateHash } from "../pod-template.ts";

/** The label that tells the pods of a deployment's revisions apart. */
const podTemplateHash = "pod-template-hash";

/** The annotation with the number of a revision, on the replica set and on the deployment. */
export const revisionAnnotation = "deployment.kubernetes.io/revision";

/** The annotation with the numbers that a replica set had before. */
const historyAnnotation = "deployment.kubernetes.io/revision-history";

/** How long the history may be; beyond it the oldest numbers are forgotten. */
const longestHistory = 2_000;

const desiredReplicas = "deployment.kubernetes.io/desired-replicas";
const maxReplicas = "deployment.kubernetes.io/max-replicas";

/** Annotations of a deployment that its replica sets do not get. */
const notCopied = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  historyAnnotation,
  desiredReplicas,
  maxReplicas,
  "deprecated.deployment.rollback.to",
]);

/** The replica sets, oldest first. */
export function byAge(sets: readonly ReplicaSet[]): readonly ReplicaSet[] {
  return [...sets].sort(
    (a, b) =>
      Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp) ||
      (a.metadata.name < b.metadata.name ? -1 : 1),
  );
}

/** The replica set whose template is the deployment's, if there is one. */
export function findNewSet(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  return byAge(sets).find(
    (set) => set.spec.template !== undefined && isSameTemplate(set.spec.template, deployment.spec.template),
  );
}

/** The number of a revision; 0 when it has none. */
function revisionOf(object: Deployment | ReplicaSet): number {
  return Number(object.metadata.annotations?.[revisionAnnotation] ?? 0) || 0;
}

/** The number that the new replica set should carry: one more than any other, or its own if that is already higher. */
export function nextRevision(newSet: ReplicaSet | undefined, others: readonly ReplicaSet[]): number {
  const highest = Math.max(0, ...others.map(revisionOf));
  const own = newSet === undefined ? 0 : revisionOf(newSet);
  return own > highest ? own : highest + 1;
}

/** The annotations that a replica set should have besides those it has; `present` is undefined for one that is to be made. */
export function annotationsFor(
  deployment: Deployment,
  present: ReplicaSet | undefined,
  revision: number,
  surge: number,
): Record<string, string> {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(
    ([name]) => !notCopied.has(name),
  );
  return {
    ...Object.fromEntries(copied),
    [revisionAnnotation]: String(revision),
    ...(present === undefined ? {} : historyOf(present, revision)),
    ...scaleAnnotations(deployment, surge),
  };
}

/** The history of a replica set that gets another number: with the one that it had. */
function historyOf({ metadata }: ReplicaSet, revision: number): Record<string, string> {
  const { [revisionAnnotation]: former, [historyAnnotation]: history } = metadata.annotations ?? {};
  if (former === undefined || former === String(revision)) return {};
  const numbers = [...(history === undefined || history === "" ? [] : history.split(",")), former];
  while (numbers.join(",").length > longestHistory) numbers.shift();
  return { [historyAnnotation]: numbers.join(",") };
}

/** The annotations that tell a later scaling how large the deployment was. */
export function scaleAnnotations(deployment: Deployment, surge: number): Record<string, string> {
  const replicas = deployment.spec.replicas ?? 1;
  return { [desiredReplicas]: String(replicas), [maxReplicas]: String(replicas + surge) };
}

/** Whether the deployment was scaled since its replica sets got their sizes. */
export function wasScaled(deployment: Deployment, sets: readonly ReplicaSet[]): boolean {
  const replicas = String(deployment.spec.replicas ?? 1);
  return sets.some(
    ({ metadata, spec }) =>
      (spec.replicas ?? 0) > 0 &&
      metadata.annotations?.[desiredReplicas] !== undefined &&
      metadata.annotations[desiredReplicas] !== replicas,
  );
}

/** The replica set of the deployment's present template. */
export function newSetManifest(
  deployment: Deployment,
  options: { readonly replicas: number; readonly revision: number; readonly surge: number },
): ManifestOf<ReplicaSet> {
  const { spec, metadata, status } = deployment;
  const hash = templateHash(spec.template, status?.collisionCount ?? 0);
  const labels = { ...spec.template.metadata?.labels, [podTemplateHash]: hash };
  return {
    apiVersion: "apps/v1",
    kind: ReplicaSet.kind,
    metadata: {
      name: `${metadata.name}-${hash}`,
      namespace: metadata.namespace,
      labels,
      annotations: annotationsFor(deployment, undefined, options.revision, options.surge),
      ownerReferences: [controllerReference(Deployment, deployment)],
    },
    spec: {
      replicas: options.replicas,
      ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: {
        ...spec.selector,
        matchLabels: { ...spec.selector.matchLabels, [podTemplateHash]: hash },
      },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
}

/** Old replica sets without pods beyond the history limit, oldest revision first: to be deleted. */
export function expiredSets(oldSets: readonly ReplicaSet[], limit: number): readonly ReplicaSet[] {
  // Those that still have pods count, although they are not deleted.
  const counted = oldSets.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return counted
    .toSorted((a, b) => revisionOf(a) - revisionOf(b))
    .slice(0, Math.max(0, counted.length - limit))
    .filter(
      ({ spec, status, metadata }) =>
        (spec.replicas ?? 0) === 0 &&
        (status?.replicas ?? 0) === 0 &&
        (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0),
    );
}

function isSameTemplate(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  return equal(withoutHash(a), withoutHash(b));
}

function withoutHash(template: PodTemplateSpec): object {
  const { labels, ...metadata } = template.metadata ?? {};
  const { [podTemplateHash]: _, ...others } = labels ?? {};
  // A server that writes `creationTimestamp: null` into templates says nothing by it.
  const { creationTimestamp: __, ...rest } = metadata as { creationTimestamp?: unknown };
  return { spec: template.spec, metadata: { ...rest, labels: others } };
}
