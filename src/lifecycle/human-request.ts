// Human events: what is decided about one, and how it is remembered, so that a second look at the same annotation does
// not send it twice.
import { formatLeaves } from "../statechart/configuration.ts";
import type { CycleInput, HumanDecision } from "./cycle-plan.ts";
import { humanEventsOf } from "./derive-events.ts";
import type { RestoredLifecycle } from "./restore.ts";
import type { HumanRecord } from "./snapshot.ts";

/** Whether the current state accepts the event that is asked for; undefined when none is. */
export function decideHuman(input: CycleInput, restored: RestoredLifecycle): HumanDecision | undefined {
  const { human, lifecycle } = input;
  if (human === undefined) return undefined;
  const { event, id, by } = human;
  const who = by === undefined ? "" : ` by ${by}`;
  if (restored.human?.id === id) {
    return { event, accepted: false, message: `${event} was dealt with before` };
  }
  const accepted = restored.position === undefined ? [] : humanEventsOf(lifecycle, restored.position.leaves);
  if (accepted.includes(event)) return { event, accepted: true, message: `${event} was asked for${who}` };
  const here = restored.position === undefined ? "no state yet" : formatLeaves(restored.position.leaves);
  const list = accepted.length === 0 ? "none" : accepted.join(", ");
  return { event, accepted: false, message: `${event}${who} is not accepted in ${here}; accepted: ${list}` };
}

/** The record after the decision, as a field of the status. */
export function humanRecord(
  { human }: CycleInput,
  before: HumanRecord | undefined,
  decision: HumanDecision | undefined,
): { human?: HumanRecord } {
  if (human === undefined || decision === undefined) return before === undefined ? {} : { human: before };
  return { human: { event: human.event, id: human.id, ...(human.by === undefined ? {} : { by: human.by }) } };
}
