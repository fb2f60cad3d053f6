// What a stateful set does next: which pods to make and which to delete, in the order that its policy demands. Pure.
import type { StatefulSet } from "../../../kinds/builtin/apps.ts";
import type { Pod } from "../../../kinds/builtin/core.ts";
import { availableIn, isPodFinished, isPodTerminating } from "../../pods/pod-state.ts";
import { burst } from "../burst.ts";
import { ordinalOf } from "./set-identity.ts";
import { revisionLabel } from "../template-revisions.ts";

/** What the plan is made of. */
export interface SetState {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  readonly currentRevision: string;
  readonly updateRevision: string;
  readonly now: number;
}

/** The next steps. */
export interface SetPlan {
  /** Ordinals to be made, each with the revision it gets. */
  readonly create: readonly { readonly ordinal: number; readonly revision: string }[];
  readonly delete: readonly Pod[];
}

const nothing: SetPlan = { create: [], delete: [] };

/** The next steps; empty when everything is as it should be or something must be waited for. */
export function planSet(state: SetState): SetPlan {
  const { set, pods } = state;
  if (set.metadata.deletionTimestamp !== undefined) return nothing;
  const inOrder = set.spec.podManagementPolicy !== "Parallel";
  const first = set.spec.ordinals?.start ?? 0;
  const end = first + (set.spec.replicas ?? 1);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]));
  const create: { ordinal: number; revision: string }[] = [];
  const remove: Pod[] = [];
  for (let ordinal = first; ordinal < end; ordinal += 1) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) create.push({ ordinal, revision: revisionFor(state, ordinal) });
    else if (isPodTerminating(pod)) {
      // Its name is free only when it is gone.
    } else if (isPodFinished(pod)) remove.push(pod);
    else if (isAvailable(state, pod)) continue;
    if (inOrder || create.length >= burst) return { create, delete: remove };
  }
  const surplus = pods
    .filter((pod) => {
      const ordinal = ordinalOf(set, pod);
      return ordinal !== undefined && (ordinal < first || ordinal >= end);
    })
    .sort((a, b) => (ordinalOf(set, b) ?? 0) - (ordinalOf(set, a) ?? 0));
  for (const pod of surplus) {
    if (!isPodTerminating(pod)) remove.push(pod);
    if (inOrder) return { create, delete: remove };
  }
  if (create.length > 0 || remove.length > 0) return { create, delete: remove };
  return { create, delete: nextUpdates(state, byOrdinal, { first, end }) };
}

/** The revision a new pod gets: below the partition the current one, else the one that is rolled out. */
function revisionFor({ set, currentRevision, updateRevision }: SetState, ordinal: number): string {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  const first = set.spec.ordinals?.start ?? 0;
  const kept = type !== "OnDelete" && ordinal < first + (rollingUpdate?.partition ?? 0);
  return kept ? currentRevision : updateRevision;
}

/** The pod of an old revision that is replaced next: the highest ordinal, one at a time, down to the partition. */
function nextUpdates(
  state: SetState,
  byOrdinal: ReadonlyMap<number | undefined, Pod>,
  { first, end }: { readonly first: number; readonly end: number },
): readonly Pod[] {
  const { set, updateRevision } = state;
  if (set.spec.updateStrategy?.type === "OnDelete") return [];
  const lowest = first + (set.spec.updateStrategy?.rollingUpdate?.partition ?? 0);
  for (let ordinal = end - 1; ordinal >= lowest; ordinal -= 1) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined || isPodTerminating(pod)) return [];
    if (pod.metadata.labels?.[revisionLabel] !== updateRevision) return [pod];
    if (!isAvailable(state, pod)) return [];
  }
  return [];
}

function isAvailable({ set, now }: SetState, pod: Pod): boolean {
  return pod.status?.phase === "Running" && availableIn(pod, set.spec.minReadySeconds ?? 0, now) === 0;
}
