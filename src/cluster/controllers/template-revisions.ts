// The revisions of a stateful set or a daemon set: each template it ever had is a ControllerRevision, which pods carry as a label.
import { controllerOf } from "../../meta/controller-reference.ts";
import { isAlreadyExists } from "../../client/api-error.ts";
import type { KubeClient } from "../../client/kube-client.ts";
import { equal } from "../../schema/json-value.ts";
import { DaemonSet } from "../../kinds/builtin/apps.ts";
import { builtin } from "../../kinds/builtin/builtin-type.ts";
import type { PodTemplateSpec } from "../../kinds/builtin/parts.ts";
import type { KubeObject, ManifestOf, NamespacedObject } from "../../meta/object.ts";
import { keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { controllerReference } from "./ownership.ts";
import { templateHash } from "./pod-template.ts";

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

/** A workload whose templates are kept. */
type Templated = KubeObject & {
  readonly metadata: {
    readonly namespace: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly template: PodTemplateSpec };
  readonly status?: { readonly collisionCount?: number };
};

/** The label of a pod's revision: its name, or for daemon sets its hash; those have it on their revisions too. */
export const revisionLabel = "controller-revision-hash";

/** The label with the hash of a stateful set's revision. */
const hashLabel = "controller.kubernetes.io/hash";

/** The revisions, oldest first. */
export function byRevision(revisions: readonly ControllerRevision[]): readonly ControllerRevision[] {
  return [...revisions].sort(
    (a, b) => a.revision - b.revision || (a.metadata.name < b.metadata.name ? -1 : 1),
  );
}

/** The revision that has the set's present template, the newest if several do. */
export function findRevision(
  set: Templated,
  revisions: readonly ControllerRevision[],
): ControllerRevision | undefined {
  return byRevision(revisions).findLast((each) => equal(each.data.spec.template, set.spec.template));
}

/** A revision of the set's present template, numbered after all others. */
export function newRevision(
  type: ResourceType,
  set: Templated,
  revisions: readonly ControllerRevision[],
): ManifestOf<ControllerRevision> {
  const { metadata, spec, status } = set;
  // Of its kind: a stateful set and a daemon set may have the same name and template.
  const hash = templateHash([type.kind, spec.template], status?.collisionCount ?? 0);
  const name = `${metadata.name}-${hash}`;
  const data = { spec: { template: { ...spec.template, $patch: "replace" } } };
  return {
    apiVersion: "apps/v1",
    kind: ControllerRevision.kind,
    metadata: {
      name,
      namespace: metadata.namespace,
      labels: {
        ...spec.template.metadata?.labels,
        [type.kind === DaemonSet.kind ? revisionLabel : hashLabel]: hash,
      },
      ...(metadata.annotations === undefined ? {} : { annotations: metadata.annotations }),
      ownerReferences: [controllerReference(type, set)],
    },
    data,
    revision: nextNumber(revisions),
  };
}

/** The hash in a revision. */
export function hashOf({ metadata: { name, labels } }: ControllerRevision): string {
  return labels?.[revisionLabel] ?? name.slice(name.lastIndexOf("-") + 1);
}

/**
 * The revision of a workload's present template, made when there is none; an older one of the same template is numbered again (a rollback).
 * Undefined when a revision of another template has the name.
 */
export async function presentRevision(
  client: KubeClient,
  type: ResourceType,
  set: Templated,
  history: readonly ControllerRevision[],
): Promise<ControllerRevision | undefined> {
  const found = findRevision(set, history.map(withoutDirective));
  if (found === undefined) {
    try {
      return await client.create(ControllerRevision, newRevision(type, set, history));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const taken = await client.get(ControllerRevision, keyOf(newRevision(type, set, history)));
      // What was made and is not seen yet, or belongs to nobody any more, will do.
      const owner = controllerOf(taken)?.uid ?? set.metadata.uid;
      const isSame = findRevision(set, [withoutDirective(taken)]) !== undefined;
      return isSame && owner === set.metadata.uid ? taken : undefined;
    }
  }
  if (found.revision === nextNumber(history) - 1) return found;
  const body = { revision: nextNumber(history) };
  return client.patch(ControllerRevision, keyOf(found), { type: "merge", body });
}

/** The revision with its template as the workload had it: the patch directive that Kubernetes stores is left out. */
export function withoutDirective(revision: ControllerRevision): ControllerRevision {
  const { $patch: _, ...template } = revision.data.spec
    .template as ControllerRevision["data"]["spec"]["template"] & {
    readonly $patch?: string;
  };
  return { ...revision, data: { spec: { template } } };
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
