// Shows the lifecycles of a kind to whoever inspects: as actors that live in the cluster, one for each custom resource,
// with their state as the status has it. Asked by the manager's inspector, told by application.ts.
import type { Lifecycle } from "../lifecycle/compile-lifecycle.ts";
import { readStatus } from "../lifecycle/read-status.ts";
import type { LifecycleStatus } from "../lifecycle/snapshot.ts";
import type { KubeObject } from "../meta/object.ts";
import { formatKey, keyOf } from "../meta/object-key.ts";
import type {
  ActorSource,
  InspectedActor,
  InspectedSnapshot,
  InspectionSubject,
} from "../ports/inspection.ts";
import { parseLeaves } from "../statechart/configuration.ts";
import { toStateValue } from "../statechart/state-value.ts";

/** Names a custom resource to an inspector. */
export function subjectOf({ kind, metadata }: KubeObject): InspectionSubject {
  const { name, namespace } = metadata;
  return namespace === undefined ? { kind, name } : { kind, namespace, name };
}

/** The actor that stands for a resource's lifecycle. */
export function lifecycleActorOf(lifecycle: Lifecycle, cr: KubeObject): InspectedActor {
  return {
    id: lifecycleActorId(cr),
    name: `${cr.kind} ${formatKey(keyOf(cr))}`,
    config: lifecycle.chart.config,
    subject: subjectOf(cr),
  };
}

/** Its id; runs of the pipeline for the resource belong to it. */
export function lifecycleActorId(cr: KubeObject): string {
  return `lifecycle:${cr.metadata.uid}`;
}

/** Where a lifecycle is, from its status; undefined when that cannot be told. */
export function lifecycleSnapshotOf(
  { index, final }: Lifecycle,
  status: LifecycleStatus | undefined,
): InspectedSnapshot | undefined {
  const { state = "", context = {} } = readStatus(status);
  const leaves = parseLeaves(index, state);
  if (leaves === undefined) return undefined;
  return { status: state === final ? "done" : "active", value: toStateValue(index, leaves), context };
}

/** All lifecycles of a kind, from what is cached. */
export function lifecycleSource(lifecycle: Lifecycle, resources: () => readonly KubeObject[]): ActorSource {
  return function* source() {
    for (const cr of resources()) {
      const { status } = cr as { readonly status?: { readonly lifecycle?: LifecycleStatus } };
      const snapshot = lifecycleSnapshotOf(lifecycle, status?.lifecycle);
      if (snapshot !== undefined) yield [lifecycleActorOf(lifecycle, cr), snapshot];
    }
  };
}
