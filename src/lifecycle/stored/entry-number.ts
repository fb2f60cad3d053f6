// The number of the last move. Keys of tasks are made from it, so it must never run twice through the same numbers, not
// even after a status was deleted or edited: then an old task would be taken for the new one. Read by settle.
import { fingerprint } from "../values/fingerprint.ts";
import type { RestoredLifecycle } from "./restore.ts";

/**
 * The number to count on from. A stored one is believed when everything stored is whole; otherwise it is at least the version
 * of the resource. Each entry of a state with tasks is a write, which raises that version by one or more: no earlier number can be
 * as high, whatever clocks say. A version that is no number stands for one that no earlier life has come near. Nothing tells a new
 * resource from one whose status was emptied, so a life begins with it too.
 */
export function lastEntry(
  { origin, entry, problems }: Pick<RestoredLifecycle, "origin" | "entry" | "problems">,
  resourceVersion: string | undefined,
): number {
  const isWhole = (origin === "snapshot" || origin === "migrated") && problems.length === 0;
  return isWhole ? entry : Math.max(entry, numberOf(resourceVersion));
}

function numberOf(version: string | undefined): number {
  if (version === undefined) return 0;
  if (/^\d{1,14}$/.test(version)) return Number(version);
  // 12 digits of 16, so that there is room to count on.
  return Number.parseInt(fingerprint(version).slice(0, 12), 16);
}
