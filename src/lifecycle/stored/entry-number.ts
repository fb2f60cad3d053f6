// The number of the last move. Keys of tasks are made from it, so it must never run twice through the same numbers, not
// even after a status was deleted or edited: then an old task would be taken for the new one. Read by settle.
import type { RestoredLifecycle } from "./restore.ts";

/**
 * The number to count on from. A stored one is believed when everything stored is whole; otherwise it is at least the version
 * of the resource. Each move is a write, which raises that version by one or more: no earlier number can be as high, whatever
 * clocks say. Nothing tells a new resource from one whose status was emptied, so a life begins with it too.
 */
export function lastEntry(
  { origin, entry, problems }: Pick<RestoredLifecycle, "origin" | "entry" | "problems">,
  resourceVersion: string | undefined,
): number {
  const isWhole = (origin === "snapshot" || origin === "migrated") && problems.length === 0;
  const version = /^\d{1,15}$/.test(resourceVersion ?? "") ? Number(resourceVersion) : 0;
  return isWhole ? entry : Math.max(entry, version);
}
