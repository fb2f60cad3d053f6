// The mark of a deletion: the time, the period of grace, and the finalizers that its policy asks for.
import { toTimestamp } from "../../../meta/condition.ts";
import type { ApiCore } from "../api-core.ts";
import type { ApiObject } from "../api-object.ts";
import { orderMetadata } from "../metadata-order.ts";
import type { DeleteQuery } from "../options/delete-options.ts";
import type { ObjectRequest } from "./object-request.ts";

const orphan = "orphan";
const foreground = "foregroundDeletion";

/** What a deletion makes of an object. */
export interface BegunDeletion {
  /** The same object when there is nothing to change. */
  readonly next: ApiObject;
  /** Whether it has begun, or is to end sooner. */
  readonly isMarked: boolean;
}

/** The object with its deletion begun. */
export function beginDeletion(
  core: Pick<ApiCore, "clock">,
  { type }: Pick<ObjectRequest, "type">,
  query: Pick<DeleteQuery, "gracePeriodSeconds" | "propagationPolicy">,
  current: ApiObject,
): BegunDeletion {
  const before = current.metadata.finalizers ?? [];
  const finalizers = finalizersFor(type, query, before);
  const asked = query.gracePeriodSeconds;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = current.metadata;
  const isPending = type.behaviour.gracePeriod !== undefined && deletionGracePeriodSeconds > 0;
  const grace = isPending ? (asked ?? 0) : (type.behaviour.gracePeriod?.(current, asked) ?? 0);
  const isShortened = asked !== undefined && grace < deletionGracePeriodSeconds;
  // While its period of grace lasts it may only become shorter, and nothing else changes.
  if (isPending && !isShortened) return { next: current, isMarked: false };
  // One that was made as being deleted has been given no time.
  const isUngiven =
    deletionTimestamp !== undefined && current.metadata.deletionGracePeriodSeconds === undefined;
  const isTimeless = isUngiven && type.behaviour.marksOnlyTime !== true && finalizers.length > 0;
  if (deletionTimestamp !== undefined && !isShortened && !isTimeless && finalizers.length === before.length) {
    if (!finalizers.some((each) => !before.includes(each))) return { next: current, isMarked: false };
  }
  const starts = deletionTimestamp === undefined;
  const { finalizers: _, ...rest } = current.metadata;
  const next: ApiObject = {
    ...current,
    metadata: {
      ...rest,
      ...(finalizers.length === 0 ? {} : { finalizers }),
      ...(starts || isShortened
        ? {
            deletionTimestamp: toTimestamp(core.clock.now() + grace * 1_000),
            ...(type.behaviour.marksOnlyTime === true ? {} : { deletionGracePeriodSeconds: grace }),
          }
        : isTimeless
          ? { deletionGracePeriodSeconds: 0 }
          : {}),
    },
  };
  if (starts) {
    const isCounted = type.behaviour.marksOnlyTime !== true && next.metadata.generation !== undefined;
    if (isCounted) next.metadata.generation = (next.metadata.generation ?? 0) + 1;
    type.behaviour.prepareDeletion?.(next);
  }
  next.metadata = orderMetadata(next.metadata);
  return { next, isMarked: starts || isShortened };
}

/** A policy replaces what an earlier one asked for; without one, what is there stays, and else the type decides. */
function finalizersFor(
  { behaviour }: ObjectRequest["type"],
  { propagationPolicy }: Pick<DeleteQuery, "propagationPolicy">,
  before: readonly string[],
): string[] {
  const others = before.filter((each) => each !== orphan && each !== foreground);
  if (behaviour.hasNoDependents === true) return others;
  if (propagationPolicy === undefined) {
    const isOrphaning = behaviour.orphaningWarning !== undefined || behaviour.orphansSilently === true;
    const isDecided = others.length < before.length || !isOrphaning;
    return isDecided ? [...before] : [...others, orphan];
  }
  if (propagationPolicy === "Orphan") return [...others, orphan];
  if (propagationPolicy === "Foreground") return [...others, foreground];
  return others;
}
