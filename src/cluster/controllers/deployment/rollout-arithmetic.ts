// How many pods each replica set of a deployment should have during a rollout. Pure numbers; the strategies apply them.

/** A replica set as the arithmetic sees it. */
export interface ReplicaCount {
  readonly name: string;
  /** `spec.replicas`. */
  readonly wanted: number;
  /** `status.availableReplicas`. */
  readonly available: number;
}

/** A replica set and the size it should get. */
export interface Resize {
  readonly name: string;
  readonly replicas: number;
}

/** How many pods there may be above, and how many may be missing below, the number desired. */
export interface RolloutBounds {
  readonly surge: number;
  readonly unavailable: number;
}

/** A count, or a percentage of a total, rounded up or down. */
export function resolveCount(value: number | string, total: number, round: "up" | "down"): number {
  if (typeof value === "number") return value;
  const percent = /^(\d+)%$/.exec(value)?.[1];
  if (percent === undefined) return 0;
  const exact = (Number(percent) * total) / 100;
  return round === "up" ? Math.ceil(exact) : Math.floor(exact);
}

/** The bounds of a rolling update; when both round to 0 one pod may be missing, as else nothing could move. */
export function rolloutBounds(
  replicas: number,
  rollingUpdate: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string } = {},
): RolloutBounds {
  const surge = resolveCount(rollingUpdate.maxSurge ?? "25%", replicas, "up");
  const unavailable = resolveCount(rollingUpdate.maxUnavailable ?? "25%", replicas, "down");
  const bound = surge === 0 && unavailable === 0 ? 1 : unavailable;
  return { surge, unavailable: Math.min(bound, replicas) };
}

/** The size that the new replica set of a rolling update may have now. */
export function newSetSize(
  replicas: number,
  { surge }: RolloutBounds,
  newSet: ReplicaCount,
  oldSets: readonly ReplicaCount[],
): number {
  const total = sum(oldSets, "wanted") + newSet.wanted;
  if (newSet.wanted >= replicas) return replicas;
  const room = Math.max(0, replicas + surge - total);
  return newSet.wanted + Math.min(room, replicas - newSet.wanted);
}

/**
 * The old replica sets (oldest first) that may be scaled down now: first pods that are not available, which nobody misses,
 * then available ones as long as enough are left.
 */
export function shrinkOldSets(
  replicas: number,
  { unavailable }: RolloutBounds,
  newSet: ReplicaCount,
  oldSets: readonly ReplicaCount[],
): readonly Resize[] {
  const sizes = new Map(oldSets.map((set) => [set.name, set.wanted]));
  const minAvailable = replicas - unavailable;
  const newUnavailable = Math.max(0, newSet.wanted - newSet.available);
  let room = sum(oldSets, "wanted") + newSet.wanted - minAvailable - newUnavailable;
  let stillAvailable = sum(oldSets, "available") + newSet.available;
  for (const set of oldSets) {
    if (room <= 0) break;
    const cut = Math.min(room, Math.max(0, set.wanted - set.available));
    sizes.set(set.name, set.wanted - cut);
    room -= cut;
  }
  for (const set of oldSets) {
    const size = sizes.get(set.name) ?? 0;
    const cut = Math.min(size, Math.max(0, room), Math.max(0, stillAvailable - minAvailable));
    sizes.set(set.name, size - cut);
    room -= cut;
    stillAvailable -= cut;
  }
  return oldSets
    .map(({ name }) => ({ name, replicas: sizes.get(name) ?? 0 }))
    .filter(({ name, replicas: size }) => size !== oldSets.find((set) => set.name === name)?.wanted);
}

/**
 * Sizes after the deployment was scaled in the middle of a rollout: the change is spread over the sets in proportion to
 * their sizes, the largest first; what rounding leaves over goes to the first.
 */
export function scaleInProportion(target: number, sets: readonly ReplicaCount[]): readonly Resize[] {
  const total = sum(sets, "wanted");
  if (total === 0) return [];
  const change = target - total;
  const ordered = [...sets].sort((a, b) => b.wanted - a.wanted);
  let left = change;
  const resized = ordered.map(({ name, wanted }) => {
    const share = Math.round((wanted * target) / total) - wanted;
    const step =
      change > 0 ? Math.min(Math.max(share, 0), left) : Math.max(Math.min(share, 0), left, -wanted);
    left -= step;
    return { name, replicas: wanted + step };
  });
  return resized.map((each, index) =>
    index === 0 ? { ...each, replicas: Math.max(0, each.replicas + left) } : each,
  );
}

function sum(sets: readonly ReplicaCount[], field: "wanted" | "available"): number {
  return sets.reduce((total, set) => total + set[field], 0);
}
