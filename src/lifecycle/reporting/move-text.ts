// A move and a delay in words: for Kubernetes Events, for replays and for what explains an object. Pure.
import type { Moved } from "../cycle-plan.ts";
import { beginEvent } from "../graph/possible-hops.ts";
import { restoreEvent } from "../graph/restore-at.ts";
import type { MoveRecord } from "../stored/snapshot.ts";

/** A move as a sentence: `Start → Running by observed.Running: 3 of 3 pods are ready`. */
export function describeMove({ from, to, event, cause }: Omit<Moved, "through">): string {
  if (from === undefined) return `entered ${to}: ${cause}`;
  return `${from} → ${to}${isEdge(event) ? ` by ${event}` : ""}: ${cause}`;
}

/** Why the present state was entered: `startTimeout elapsed (after.startTimeout, from Start)`. */
export function describeLast({ from, event, cause }: MoveRecord): string {
  const details = [...(isEdge(event) ? [event] : []), ...(from === undefined ? [] : [`from ${from}`])];
  return details.length === 0 ? cause : `${cause} (${details.join(", ")})`;
}

/** The event of a move as inspectors see it, where no edge was taken: `lifecycle.begin`. */
export function eventNameOf({ event }: Pick<MoveRecord, "event">): string {
  return isEdge(event) ? event : `lifecycle.${event}`;
}

function isEdge(event: string): boolean {
  return ![beginEvent, restoreEvent].some((each) => event === each || event === `lifecycle.${each}`);
}

/** A delay as the machine names it; a number is one of milliseconds. */
export function describeDelay(delay = "the delay"): string {
  return /^\d+(\.\d+)?$/.test(delay) ? `${delay} ms` : delay;
}
