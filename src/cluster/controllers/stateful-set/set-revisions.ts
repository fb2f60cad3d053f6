// The revisions of a stateful set: each template it ever had is a ControllerRevision, and pods carry its name. Pure.
import { equal } from "../../../schema/json-value.ts";
import { StatefulSet } from "../../../kinds/builtin/apps.ts";
import { builtin } from "../../../kinds/builtin/builtin-type.ts";
import type { PodTemplateSpec } from "../../../kinds/builtin/parts.ts";
import type { ManifestOf, NamespacedObject } from "../../../meta/object.ts";
import type { ResourceType } from "../../../meta/resource-type.ts";
import { controllerReference } from "../ownership.ts";
import { templateHash } from "../pod-template.ts";

/** A ControllerRevision (apps v1): a template that a workload once had. */
export interface ControllerRevision extends NamespacedObject {
  /** A patch of the workload: `{ spec: { template } }`. */
  readonly data: { readonly spec: { readonly template: PodTemplateSpec } };
  readonly revision: number;
}

/** The type of {@link ControllerRevision}. */
export const ControllerRevision: ResourceType<ControllerRevision> = builtin<ControllerRevision>(
  "apps/v1",
  "ControllerRevision",
  "controllerrevisions",
);

/** The label with the name of a pod's revision. */
export const revisionLabel = "controller-revision-hash";

/** The revisions, oldest first. */
export function byRevision(revisions: readonly ControllerRevision[]): readonly ControllerRevision[] {
  return [...revisions].sort(
    (a, b) => a.revision - b.revision || (a.metadata.name < b.metadata.name ? -1 : 1),
  );
}

/** The revision that has the set's present template, the newest if several do. */
export function findRevision(
  set: StatefulSet,
  revisions: readonly ControllerRevision[],
): ControllerRevision | undefined {
  return byRevision(revisions).findLast((each) => equal(each.data.spec.template, set.spec.template));
}

/** A revision of the set's present template, numbered after all others. */
export function newRevision(
  set: StatefulSet,
  revisions: readonly ControllerRevision[],
): ManifestOf<ControllerRevision> {
  const { metadata, spec, status } = set;
  const name = `${metadata.name}-${templateHash(spec.template, status?.collisionCount ?? 0)}`;
  const data = { spec: { template: { ...spec.template, $patch: "replace" } } };
  return {
    apiVersion: "apps/v1",
    kind: ControllerRevision.kind,
    metadata: {
      name,
      namespace: metadata.namespace,
      labels: { ...spec.template.metadata?.labels },
      ownerReferences: [controllerReference(StatefulSet, set)],
    },
    data,
    revision: nextNumber(revisions),
  };
}

/** The number after the highest. */
export function nextNumber(revisions: readonly ControllerRevision[]): number {
  return Math.max(0, ...revisions.map((each) => each.revision)) + 1;
}

/** Revisions that no pod and no status field uses any more, beyond the limit, oldest first: to be deleted. */
export function expiredRevisions(
  revisions: readonly ControllerRevision[],
  live: ReadonlySet<string>,
  limit: number,
): readonly ControllerRevision[] {
  const unused = byRevision(revisions).filter((each) => !live.has(each.metadata.name));
  return unused.slice(0, Math.max(0, unused.length - limit));
}
