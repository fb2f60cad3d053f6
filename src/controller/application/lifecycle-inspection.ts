// Shows the lifecycles of a kind to whoever inspects: as actors that live in the cluster, one for each custom resource,
// with their state as the status has it. Asked by the manager's inspector, reported by application.ts.
import type { Lifecycle } from "../../lifecycle/graph/compile-lifecycle.ts";
import type { CyclePlan } from "../../lifecycle/cycle-plan.ts";
import { readStatus } from "../../lifecycle/stored/read-status.ts";
import type { LifecycleStatus } from "../../lifecycle/stored/snapshot.ts";
import type { KubeObject } from "../../meta/object.ts";
import { formatKey, keyOf } from "../../meta/object-key.ts";
import type {
  ActorReports,
  ActorSource,
  InspectedSnapshot,
  InspectionSubject,
  ReportedActor,
} from "../../ports/actor-reports.ts";
import { parseLeaves } from "../../statechart/configuration.ts";
import { toStateValue } from "../../statechart/state-value.ts";

/** Names a custom resource to an inspector. */
export function subjectOf({ kind, metadata }: KubeObject): InspectionSubject {
  const { name, namespace } = metadata;
  return namespace === undefined ? { kind, name } : { kind, namespace, name };
}

/** The actor that stands for a resource's lifecycle. */
function lifecycleActorOf(lifecycle: Lifecycle, cr: KubeObject): ReportedActor {
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

/** Where a lifecycle is, from its status; undefined when that cannot be determined. */
function lifecycleSnapshotOf(
  { index, final }: Lifecycle,
  status: LifecycleStatus | undefined,
): InspectedSnapshot | undefined {
  const { state = "", context = {} } = readStatus(status);
  const leaves = parseLeaves(index, state);
  if (leaves === undefined) return undefined;
  return { status: state === final ? "done" : "active", value: toStateValue(index, leaves), context };
}

/** Tells of the move that a cycle has made, if somebody looks. */
export function reportMove(
  inspector: ActorReports,
  lifecycle: Lifecycle,
  cr: KubeObject,
  { moved, status }: Pick<CyclePlan, "moved" | "status">,
): void {
  if (moved === undefined || !inspector.looksAt(subjectOf(cr))) return;
  const snapshot = lifecycleSnapshotOf(lifecycle, status);
  if (snapshot !== undefined) {
    inspector.report(lifecycleActorOf(lifecycle, cr), { ...moved, type: moved.event }, snapshot);
  }
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
